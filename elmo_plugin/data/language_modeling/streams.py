"""Parallel streams of truncated backpropagation through time, from text to windows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Optional

import torch

from elmo_plugin.data.language_modeling.lm_batches import (
    LmBatchBuilder,
    TokenSequence,
    backward_sequence,
    forward_sequence,
)
from elmo_plugin.data.language_modeling.shuffled_sentences import ShuffledSentences, StreamPosition

State = dict[str, Any]
"""Where streams are: of numbers, strings, lists and dictionaries only, so that it can be kept."""


class Streams:
    """
    Endless rows of text in one direction; each takes the next sentence of a shared source when its
    last one has ended.

    # Parameters

    sentences : `ShuffledSentences`
    to_row : `Callable`
        Makes a row of one of them.
    count : `int`
        Rows.
    """

    def __init__(
        self, sentences: ShuffledSentences, to_row: Callable[[str], TokenSequence], count: int
    ) -> None:
        self._sentences = sentences
        self._to_row = to_row
        self._left = [TokenSequence([], []) for _ in range(count)]

    def take(self, steps: int) -> list[TokenSequence]:
        """The next `steps` words of each row and what follows each word."""
        return [self._take(row, steps) for row in range(len(self._left))]

    def state(self) -> State:
        """What `restore` takes."""
        return {"place": list(self._sentences.place), "left": [list(row) for row in self._left]}

    def restore(self, left: Sequence[Sequence[list[str]]]) -> None:
        """Go on with what was left of each row's sentence."""
        self._left = [TokenSequence(*row) for row in left]

    def _take(self, row: int, steps: int) -> TokenSequence:
        taken, left = TokenSequence([], []), self._left[row]
        while len(taken.inputs) < steps:
            if not left.inputs:
                left = self._to_row(next(self._sentences))
            missing = steps - len(taken.inputs)
            taken.inputs.extend(left.inputs[:missing])
            taken.targets.extend(left.targets[:missing])
            left = TokenSequence(left.inputs[missing:], left.targets[missing:])
        self._left[row] = left
        return taken


class StreamWindows(torch.utils.data.IterableDataset):
    """
    Endless windows, each with the state that follows it. Both directions have streams of their
    own, each shuffled by itself, as in bilm-tf.

    # Parameters

    shards : `Sequence[Iterable[str]]`
        See `ShuffledSentences`.
    tokenize : `Callable`
        Makes words of a sentence's line.
    windows : `LmBatchBuilder`
    batch_size : `int`
        Rows in each direction.
    unroll_steps : `int`
        Words of a window.
    seed : `int`
    rank, world_size : `int`
        See `ShuffledSentences`.
    state : `Dict[str, Any]`, optional (default = `None`)
        Where to go on.
    """

    def __init__(
        self,
        shards: Sequence[Iterable[str]],
        tokenize: Callable[[str], list[str]],
        windows: LmBatchBuilder,
        batch_size: int,
        unroll_steps: int,
        seed: int,
        rank: int = 0,
        world_size: int = 1,
        state: Optional[State] = None,
    ) -> None:
        self._shards = shards
        self._tokenize = tokenize
        self._windows = windows
        self._batch_size = batch_size
        self._unroll = unroll_steps
        self._seed = seed
        self._share = (rank, world_size)
        self._state = state or {}

    def __iter__(self) -> Iterator[tuple[dict[str, torch.Tensor], State]]:
        forward = self._streams("forward", forward_sequence)
        backward = self._streams("backward", backward_sequence)
        while True:
            window = self._windows.window(forward.take(self._unroll), backward.take(self._unroll))
            yield window, {"forward": forward.state(), "backward": backward.state()}

    def _streams(self, direction: str, to_row: Callable[[Sequence[str]], TokenSequence]) -> Streams:
        state = self._state.get(direction)
        place = StreamPosition(*state["place"]) if state else StreamPosition()
        seed = f"{self._seed} {direction}"
        sentences = ShuffledSentences(self._shards, seed, place, *self._share)
        streams = Streams(sentences, lambda line: to_row(self._tokenize(line)), self._batch_size)
        if state:
            streams.restore(state["left"])
        return streams
