"""Words in blocks of one shape, so that a word's vector does not depend on the batch."""

from __future__ import annotations

import torch

from elmo_plugin.layers.fast.word_lengths import sort_by_length

BLOCK_SIZE = 32
"""Words per block. A multiple of the width of vector instructions."""


def encode_in_blocks(encoder: torch.nn.Module, words: torch.Tensor) -> torch.Tensor:
    """
    Compute `encoder(words)`, bit-identical for a word in every batch.

    How a matrix product rounds depends on its shape: the vectors of one word in batches of 3 and of
    300 words may differ in the last bits. Here all products have the shape of one block of words of
    about the same length.

    # Parameters

    encoder : `torch.nn.Module`
        Frozen; from (words, characters) to (words, dim), each row alone.
    words : `torch.Tensor`
        Character ids, at least one word. Shape (words, characters).

    # Returns

    `torch.Tensor` : Shape (words, dim).
    """
    order, sizes = sort_by_length(words)
    blocks = [block for part in words[order].split(sizes) for block in part.split(BLOCK_SIZE)]
    vectors = [encoder(_pad_to_block(block))[: len(block)] for block in blocks if len(block)]
    return torch.cat(vectors)[order.argsort()]


def _pad_to_block(words: torch.Tensor) -> torch.Tensor:
    return torch.cat([words, words[:1].expand(BLOCK_SIZE - len(words), -1)])
