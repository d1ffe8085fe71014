"""Words in blocks, so that a word's vector does not depend on the batch."""

from __future__ import annotations

import torch

from elmo_plugin.layers.fast.compiled import has_numba
from elmo_plugin.layers.fast.matmul import can_multiply
from elmo_plugin.layers.fast.word_lengths import sort_by_length

_BLOCK_SIZE = 32
"""Words per block on a CPU. A multiple of the width of vector instructions."""
_LARGE_BLOCK_SIZE = 16 * _BLOCK_SIZE
"""On a GPU, to start fewer operations, and where the size of a block does not affect rounding."""


def encode_in_blocks(encoder: torch.nn.Module, words: torch.Tensor) -> torch.Tensor:
    """
    Compute `encoder(words)`, bit-identical for a word in every batch.

    How a matrix product rounds may depend on its shape: the vectors of one word in batches of 3 and
    of 300 words may differ in the last bits. oneDNN's products compute each row alone; otherwise,
    all products have the shape of one block. Where convolutions are grouped by length of word, a
    block has words of about the same length.

    # Parameters

    encoder : `torch.nn.Module`
        Frozen; from (words, characters) to (words, dim), each row alone.
    words : `torch.Tensor`
        Character ids, at least one word. Shape (words, characters).

    # Returns

    `torch.Tensor` : Shape (words, dim).
    """
    if words.device.type != "cpu":
        return _encode_all(encoder, words, _LARGE_BLOCK_SIZE)
    if all(map(can_multiply, encoder.parameters())) and has_numba():
        return _encode_all(encoder, words, _BLOCK_SIZE)
    order, sizes = sort_by_length(words)
    blocks = [block for part in words[order].split(sizes) for block in part.split(_BLOCK_SIZE)]
    vectors = [_encode(encoder, block, _BLOCK_SIZE) for block in blocks if len(block)]
    return torch.cat(vectors)[order.argsort()]


def _encode_all(encoder: torch.nn.Module, words: torch.Tensor, multiple: int) -> torch.Tensor:
    blocks = words.split(_LARGE_BLOCK_SIZE)
    return torch.cat([_encode(encoder, block, multiple) for block in blocks])


def _encode(encoder: torch.nn.Module, words: torch.Tensor, multiple: int) -> torch.Tensor:
    """Encode words with as many copies of the first as give a multiple of this number of rows."""
    missing = -len(words) % multiple
    padded = torch.cat([words, words[:1].expand(missing, -1)])
    vectors: torch.Tensor = encoder(padded)[: len(words)]
    return vectors
