"""Text in random order, larger than memory, that can be taken up where it was left."""

import random
from collections.abc import Iterator, Sequence
from itertools import chain, count, islice
from typing import NamedTuple

from elmo_plugin.data.text import read_lines

# Lines that are shuffled among themselves; as many are in memory at once.
_SHUFFLED_TOGETHER = 100_000


class Place(NamedTuple):
    """How far text has been read: sentences of a part, parts of a pass over all files, passes."""

    turn: int = 0
    part: int = 0
    sentence: int = 0


class ShuffledSentences(Iterator[list[str]]):
    """
    All sentences again and again, each time in another order: the files shuffled, and then the
    sentences of each part of 100,000. The order depends on the seed and the place alone.

    # Parameters

    files : `Sequence[str]`
    seed : `str`
    place : `Place`, optional (default = the beginning)
        Where to start: the `place` of one that was read before.
    rank, world_size : `int`, optional (default = `0`, `1`)
        Give every `world_size`-th sentence, from number `rank` on.
    """

    def __init__(
        self,
        files: Sequence[str],
        seed: str,
        place: Place = Place(),  # noqa: B008
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        self._files = files
        self._seed = seed
        self._own = slice(rank, None, world_size)
        self.place = place
        self._sentences = self._from(place)

    def __next__(self) -> list[str]:
        self.place, line = next(self._sentences)
        return line.split()

    def _from(self, place: Place) -> Iterator[tuple[Place, str]]:
        yield from self._rest_of_turn(place)
        for turn in count(place.turn + 1):
            yield from self._rest_of_turn(Place(turn))

    def _rest_of_turn(self, place: Place) -> Iterator[tuple[Place, str]]:
        turn = place.turn
        files = random.Random(f"{self._seed} {turn}").sample(self._files, len(self._files))
        lines = chain.from_iterable(map(read_lines, files))
        read = sum(1 for _ in islice(lines, place.part * _SHUFFLED_TOGETHER))
        assert read == place.part * _SHUFFLED_TOGETHER, "there is less text than there was"
        for part in count(place.part):
            # Lines take a tenth of the memory that lists of words do.
            together = list(islice(lines, _SHUFFLED_TOGETHER))
            if not together:
                return
            random.Random(f"{self._seed} {turn} {part}").shuffle(together)
            first = place.sentence if part == place.part else 0
            for sentence, line in enumerate(together[self._own][first:], start=first + 1):
                yield Place(turn, part, sentence), line
