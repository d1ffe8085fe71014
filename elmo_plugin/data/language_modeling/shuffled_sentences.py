"""Endless shuffled text, larger than memory, that can be resumed at any sentence."""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, groupby, islice
from typing import NamedTuple

from allennlp.common.checks import ConfigurationError

_SHARD_SIZE = 100_000
"""Sentences of a shard. One shard is in memory at a time."""


class StreamPosition(NamedTuple):
    """
    How far the text has been read: epochs over all files, shards of 100,000 sentences in this
    epoch, and sentences in this shard.
    """

    epoch: int = 0
    shard: int = 0
    offset: int = 0


class ShuffledSentences(Iterator[str]):
    """
    Iterates over all sentences endlessly. Each epoch shuffles the files, cuts their text into
    shards of 100,000 sentences, and shuffles each shard. The order depends only on the seed, the
    epoch and the shard.

    # Parameters

    files : `Sequence[Iterable[str]]`
        Each yields the same sentences whenever it is iterated, one string per sentence: strings
        take a tenth of the memory that lists of words do.
    seed : `str`
    position : `StreamPosition`, optional (default = the start)
        Where to resume: the `position` of an earlier instance.
    rank, world_size : `int`, optional (default = `0`, `1`)
        Yield every `world_size`-th sentence of a shard, from index `rank` on.
    """

    def __init__(
        self,
        files: Sequence[Iterable[str]],
        seed: str,
        position: StreamPosition = StreamPosition(),  # noqa: B008
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        self._files = files
        self._seed = seed
        self._own = slice(rank, None, world_size)
        self.position = position
        self._sentences = self._iterate_from(position)

    def __next__(self) -> str:
        self.position, sentence = next(self._sentences)
        return sentence

    def _iterate_from(self, position: StreamPosition) -> Iterator[tuple[StreamPosition, str]]:
        yield from self._rest_of_epoch(position)
        for epoch in count(position.epoch + 1):
            yield from self._rest_of_epoch(StreamPosition(epoch))

    def at(self, positions: Iterable[StreamPosition]) -> dict[StreamPosition, str]:
        """Return the sentence that ends at each of these positions. Reads each shard once."""
        by_shard = groupby(sorted(set(positions)), lambda each: (each.epoch, each.shard))
        sentences = {}
        for shard, of_shard in by_shard:
            own = next(self._shards(*shard))
            sentences.update({each: own[each.offset - 1] for each in of_shard})
        return sentences

    def _rest_of_epoch(self, start: StreamPosition) -> Iterator[tuple[StreamPosition, str]]:
        for shard, own in enumerate(self._shards(start.epoch, start.shard), start.shard):
            first = start.offset if shard == start.shard else 0
            for offset, sentence in enumerate(own[first:], first + 1):
                yield StreamPosition(start.epoch, shard, offset), sentence

    def _shards(self, epoch: int, first: int) -> Iterator[list[str]]:
        """Yield this process's sentences of each shard of an epoch."""
        files = random.Random(f"{self._seed} {epoch}").sample(self._files, len(self._files))
        sentences = chain.from_iterable(files)
        self._skip(sentences, first * _SHARD_SIZE)
        for shard in count(first):
            shuffled = list(islice(sentences, _SHARD_SIZE))
            if not shuffled:
                return
            random.Random(f"{self._seed} {epoch} {shard}").shuffle(shuffled)
            yield shuffled[self._own]

    @staticmethod
    def _skip(sentences: Iterator[str], number: int) -> None:
        found = sum(1 for _ in islice(sentences, number))
        if found < number:
            raise ConfigurationError(f"text: expected {number} sentences or more, found {found}")
