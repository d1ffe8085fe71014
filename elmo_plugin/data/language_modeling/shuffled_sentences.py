"""Text in random order, larger than memory, that can be taken up where it was left."""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, islice
from typing import NamedTuple

from allennlp.common.checks import ConfigurationError

# Lines that are shuffled among themselves; as many are in memory at once.
_SHUFFLED_TOGETHER = 100_000


class StreamPosition(NamedTuple):
    """How far text has been read: sentences of a part, parts of a pass over all files, passes."""

    turn: int = 0
    part: int = 0
    sentence: int = 0


class ShuffledSentences(Iterator[str]):
    """
    All sentences again and again, each time in another order: the shards shuffled, and then the
    sentences of each part of 100,000. The order depends on the seed and the place alone.

    # Parameters

    shards : `Sequence[Iterable[str]]`
        Each gives the same sentences whenever it is iterated, each sentence as a line: lines take a
        tenth of the memory that lists of words do.
    seed : `str`
    place : `StreamPosition`, optional (default = the beginning)
        Where to start: the `place` of one that was read before.
    rank, world_size : `int`, optional (default = `0`, `1`)
        Give every `world_size`-th sentence, from number `rank` on.
    """

    def __init__(
        self,
        shards: Sequence[Iterable[str]],
        seed: str,
        place: StreamPosition = StreamPosition(),  # noqa: B008
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        self._shards = shards
        self._seed = seed
        self._own = slice(rank, None, world_size)
        self.place = place
        self._sentences = self._from(place)

    def __next__(self) -> str:
        self.place, line = next(self._sentences)
        return line

    def _from(self, place: StreamPosition) -> Iterator[tuple[StreamPosition, str]]:
        yield from self._rest_of_turn(place)
        for turn in count(place.turn + 1):
            yield from self._rest_of_turn(StreamPosition(turn))

    def _rest_of_turn(self, place: StreamPosition) -> Iterator[tuple[StreamPosition, str]]:
        turn = place.turn
        shards = random.Random(f"{self._seed} {turn}").sample(self._shards, len(self._shards))
        lines = chain.from_iterable(shards)
        before = place.part * _SHUFFLED_TOGETHER
        read = sum(1 for _ in islice(lines, before))
        if read < before:
            raise ConfigurationError(f"text: expected {before} sentences or more, found {read}")
        for part in count(place.part):
            together = list(islice(lines, _SHUFFLED_TOGETHER))
            if not together:
                return
            random.Random(f"{self._seed} {turn} {part}").shuffle(together)
            first = place.sentence if part == place.part else 0
            for sentence, line in enumerate(together[self._own][first:], start=first + 1):
                yield StreamPosition(turn, part, sentence), line
