"""Runs a biLM over sentences of any lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import torch

from elmo_plugin.data.sentence import Sentence
from elmo_plugin.embedding.batches import batched, batches_by_length
from elmo_plugin.embedding.selection import Select, select_token_layer
from elmo_plugin.embedding.words import Words, words_of
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.bilm_output import BilmOutput
from elmo_plugin.layers.boundaries import boundary_ids
from elmo_plugin.layers.token_layer import repeat_directions

Count = Callable[[int], object]
"""Function that is called with the number of sentences that have just been embedded."""

_BOS, _EOS, _FIRST_WORD = 0, 1, 2
_WINDOW = 4096


def no_count(number: int) -> None:
    """Show no progress."""


def encode_stream(
    bilm: Bilm,
    sentences: Iterable[Sequence[str]],
    select: Select,
    batch_size: int,
    count: Count = no_count,
) -> Iterator[torch.Tensor]:
    """Yield the vectors of each sentence in order, reading 4,096 sentences at a time."""
    characters = bilm.config.max_characters
    for i, window in enumerate(batched(sentences, _WINDOW)):
        words = words_of([*map(Sentence, window)], characters, i * _WINDOW)
        yield from encode(bilm, words, select, batch_size, count)


@torch.no_grad()
def encode(
    bilm: Bilm,
    words: Words,
    select: Select,
    batch_size: int,
    count: Count = no_count,
) -> list[torch.Tensor]:
    """
    Run a biLM over sentences, each distinct word encoded once.

    # Parameters

    bilm : `Bilm`
    words : `Words`
        Words of all sentences.
    select : `Callable`
        See `layer_selection`.
    batch_size : `int`
        Sentences at once; fewer where they are long.
    count : `Callable[[int], object]`, optional
        Called with the number of sentences of each batch when it is done.

    # Returns

    `List[torch.Tensor]` : one per sentence, on the CPU. Shape (tokens, ..., dim).
    """
    distinct = torch.cat([boundary_ids(bilm.config.max_characters), words.distinct.long()])
    # Shape: (2 + distinct words, projection_dim)
    vectors = bilm.encode_words(distinct.to(bilm.warm_hidden.device))
    if select is select_token_layer:
        layer = repeat_directions(vectors).float().cpu()
        count(len(words.lengths))
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
        count(len(batch))
    empty = _empty(bilm, select)
    count(len(words.lengths) - len(found))
    return [found.get(i, empty) for i in range(len(words.lengths))]


def _with_boundaries(words: Words) -> list[torch.Tensor]:
    """Rows of each sentence's words with BOS and EOS."""
    bos, eos = torch.tensor([_BOS]), torch.tensor([_EOS])
    sentences = (words.rows + _FIRST_WORD).split(words.lengths)
    return [torch.cat([bos, rows, eos]) for rows in sentences]


def _empty(bilm: Bilm, select: Select) -> torch.Tensor:
    """Vectors of no words."""
    shape = (bilm.mixture_size, 1, 1, bilm.output_dim)
    layers = torch.zeros(shape, dtype=torch.float32, device=bilm.warm_hidden.device)
    return select(BilmOutput(layers, layers.new_zeros(1, 1, dtype=torch.bool))).float().cpu()
