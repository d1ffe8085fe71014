"""The words of sentences, so that work that depends on the word alone is done once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from elmo_plugin.data.sentence import Sentence
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.layers.char_ids import check_sentences
from elmo_plugin.layers.fast.unique_words import unique_words


class Words(NamedTuple):
    """Distinct words, and where they are in the sentences."""

    distinct: torch.Tensor
    """Character ids. Shape (words, characters)."""
    rows: torch.Tensor
    """Row in `distinct` of each token, sentence after sentence. Shape (tokens,)."""
    lengths: list[int]
    """Tokens of each sentence."""


def words_of(sentences: Sequence[Sentence], max_characters: int, first: int = 0) -> Words:
    """
    Find the words of sentences.

    # Parameters

    sentences : `Sequence[Sentence]`
        All with character ids, or all without.
    max_characters : `int`
        See `batch_to_ids`.
    first : `int`, optional (default = `0`)
        Position of the first sentence in the text, for errors.

    # Raises

    `ValueError` : a sentence that is not a list of words; character ids of another width.
    """
    check_sentences([sentence.tokens for sentence in sentences], first)
    lengths = [len(sentence.tokens) for sentence in sentences]
    ids = [s.character_ids for s in sentences if s.character_ids is not None]
    if ids:
        widths = {one.size(1) for one in ids}
        if widths != {max_characters}:
            raise ValueError(
                f"character ids: expected {max_characters} per word, as the biLM reads, found "
                f"{', '.join(map(str, sorted(widths)))}"
            )
        return Words(*unique_words(torch.cat(ids)), lengths)
    seen: dict[str, int] = {}
    rows = [seen.setdefault(token, len(seen)) for s in sentences for token in s.tokens]
    return Words(batch_to_ids([list(seen)], max_characters)[0], torch.tensor(rows).long(), lengths)
