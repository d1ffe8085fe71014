"""Cuts a corpus into blocks of sentences, the units of work of `elmo embed`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import torch

from elmo_plugin.data.sentence import Sentence

MAX_BLOCK_TOKENS = 16_384
MAX_BLOCK_SENTENCES = 4_096


class Block(NamedTuple):
    """Consecutive sentences of one file. The vectors of a block depend on it alone."""

    file: int
    """Number of the file, from 0."""
    number: int
    """Position of the block in its file, from 0."""
    start: int
    """Number of its first sentence in the file, from 0."""
    sentences: list[Sentence]

    @property
    def name(self) -> str:
        """A name that sorts as the text does."""
        return f"{self.file:05d}-{self.number:07d}"

    def digest(self) -> str:
        """Return a hash of the sentences and their numbers."""
        tokens = json.dumps([self.start, *(list(sentence.tokens) for sentence in self.sentences)])
        digest = hashlib.blake2b(tokens.encode(), digest_size=16)
        for _, ids in self.sentences:
            if ids is not None:
                digest.update(ids.to(torch.int16).numpy().tobytes())
        return digest.hexdigest()


def iter_blocks(files: Sequence[Iterable[Sentence]]) -> Iterator[Block]:
    """Yield the blocks of each file. They depend on the text alone."""
    for number, file in enumerate(files):
        yield from _blocks_of(number, file)


def _blocks_of(file: int, sentences: Iterable[Sentence]) -> Iterator[Block]:
    part: list[Sentence] = []
    index, start, tokens = 0, 0, 0
    for sentence in sentences:
        tokens += len(sentence.tokens)
        if part and (tokens > MAX_BLOCK_TOKENS or len(part) == MAX_BLOCK_SENTENCES):
            yield Block(file, index, start, part)
            index, start, part = index + 1, start + len(part), []
            tokens = len(sentence.tokens)
        part.append(sentence)
    if part:
        yield Block(file, index, start, part)
