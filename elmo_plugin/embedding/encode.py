"""Runs a biLM over sentences of any lengths."""

from __future__ import annotations

import torch

from elmo_plugin.embedding.batches import batches_by_length
from elmo_plugin.embedding.selection import Select, select_token_layer
from elmo_plugin.embedding.words import Words
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.bilm_output import BilmOutput
from elmo_plugin.layers.token_layer import repeat_directions

_BOS, _EOS, _FIRST_WORD = 0, 1, 2


@torch.no_grad()
def encode(bilm: Bilm, words: Words, select: Select, batch_size: int) -> list[torch.Tensor]:
    """
    # Parameters

    bilm : `Bilm`
    words : `Words`
        Words of all sentences.
    select : `Callable`
        See `layer_selection`.
    batch_size : `int`
        Sentences at once; fewer where they are long.

    # Returns

    `List[torch.Tensor]` : one per sentence, on the CPU. Shape (tokens, ..., dim).
    """
    boundaries = bilm.boundaries
    distinct = torch.cat([boundaries, words.distinct.to(boundaries)])
    # Shape: (2 + distinct words, projection_dim)
    vectors = bilm.encode_words(distinct)
    if select is select_token_layer:
        layer = repeat_directions(vectors).float().cpu()
        return list(layer[words.rows + _FIRST_WORD].split(words.lengths))
    rows = _with_boundaries(words)
    found: dict[int, torch.Tensor] = {}
    for batch in batches_by_length(words.lengths, batch_size):
        lengths = [words.lengths[i] for i in batch]
        index = torch.cat([rows[i] for i in batch]).to(vectors.device)
        mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
        output = bilm.run_sentences(
            torch.nn.functional.embedding(index, vectors), mask.to(vectors.device)
        )
        # Shape: (words of all sentences, ..., dim)
        selected = select(output).float().cpu()
        found.update(zip(batch, selected.split(lengths)))
    empty = _empty(bilm, select)
    return [found.get(i, empty) for i in range(len(words.lengths))]


def _with_boundaries(words: Words) -> list[torch.Tensor]:
    """Rows of each sentence's words with BOS and EOS."""
    bos, eos = torch.tensor([_BOS]), torch.tensor([_EOS])
    sentences = (words.rows + _FIRST_WORD).split(words.lengths)
    return [torch.cat([bos, rows, eos]) for rows in sentences]


def _empty(bilm: Bilm, select: Select) -> torch.Tensor:
    """Vectors of no words."""
    layers = bilm.boundaries.new_zeros(bilm.mixture_size, 1, 1, bilm.output_dim).float()
    mask = bilm.boundaries.new_zeros(1, 1).bool()
    return select(BilmOutput(layers, mask)).cpu()
