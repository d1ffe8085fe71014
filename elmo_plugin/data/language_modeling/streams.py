"""Parallel streams for truncated backpropagation through time: from sentences to batches."""

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

StreamState = dict[str, Any]
"""Position of the streams, as values that JSON can hold."""

Batch = dict[str, torch.Tensor]


class Streams:
    """
    Endless token streams in one direction. A stream whose sentence has ended takes the next one of
    a shared source.

    # Parameters

    sentences : `ShuffledSentences`
    to_sequence : `Callable`
        Converts a sentence to a `TokenSequence`.
    number : `int`
        Number of streams.
    """

    def __init__(
        self, sentences: ShuffledSentences, to_sequence: Callable[[str], TokenSequence], number: int
    ) -> None:
        self._sentences = sentences
        self._to_sequence = to_sequence
        self._remaining = [TokenSequence([], []) for _ in range(number)]

    def take(self, steps: int) -> list[TokenSequence]:
        """Return the next `steps` tokens of each stream with their targets."""
        return [self._take(stream, steps) for stream in range(len(self._remaining))]

    def state(self) -> StreamState:
        position = list(self._sentences.position)
        return {"position": position, "remaining": [list(each) for each in self._remaining]}

    def restore_remaining(self, remaining: Sequence[Sequence[list[str]]]) -> None:
        """Set what each stream has yet to read of its sentence."""
        self._remaining = [TokenSequence(*sequence) for sequence in remaining]

    def _take(self, stream: int, steps: int) -> TokenSequence:
        taken, remaining = TokenSequence([], []), self._remaining[stream]
        while len(taken.inputs) < steps:
            if not remaining.inputs:
                remaining = self._to_sequence(next(self._sentences))
            missing = steps - len(taken.inputs)
            taken.inputs.extend(remaining.inputs[:missing])
            taken.targets.extend(remaining.targets[:missing])
            remaining = TokenSequence(remaining.inputs[missing:], remaining.targets[missing:])
        self._remaining[stream] = remaining
        return taken


class StreamBatches(torch.utils.data.IterableDataset[tuple[Batch, StreamState]]):
    """
    Endless batches, each with the state after it. Each direction has streams of its own, shuffled
    independently, as in bilm-tf.

    # Parameters

    files : `Sequence[Iterable[str]]`
        See `ShuffledSentences`.
    tokenize : `Callable`
        Splits a sentence into words.
    builder : `LmBatchBuilder`
    batch_size : `int`
        Streams in each direction.
    unroll_steps : `int`
        Tokens per stream in a batch.
    seed : `int`
    rank, world_size : `int`, optional (default = `0`, `1`)
        See `ShuffledSentences`.
    state : `Dict[str, Any]`, optional (default = `None`)
        The state to resume from; the start, if not given.
    """

    def __init__(
        self,
        files: Sequence[Iterable[str]],
        tokenize: Callable[[str], list[str]],
        builder: LmBatchBuilder,
        batch_size: int,
        unroll_steps: int,
        seed: int,
        rank: int = 0,
        world_size: int = 1,
        state: Optional[StreamState] = None,
    ) -> None:
        self._files = files
        self._tokenize = tokenize
        self._builder = builder
        self._batch_size = batch_size
        self._unroll_steps = unroll_steps
        self._seed = seed
        self._process = (rank, world_size)
        self._state = state or {}

    def __iter__(self) -> Iterator[tuple[Batch, StreamState]]:
        forward = self._streams("forward", forward_sequence)
        backward = self._streams("backward", backward_sequence)
        steps = self._unroll_steps
        while True:
            batch = self._builder.build(forward.take(steps), backward.take(steps))
            yield batch, {"forward": forward.state(), "backward": backward.state()}

    def _streams(
        self, direction: str, to_sequence: Callable[[Sequence[str]], TokenSequence]
    ) -> Streams:
        state = self._state.get(direction)
        position = StreamPosition(*state["position"]) if state else StreamPosition()
        sentences = ShuffledSentences(
            self._files, f"{self._seed} {direction}", position, *self._process
        )
        streams = Streams(sentences, lambda s: to_sequence(self._tokenize(s)), self._batch_size)
        if state:
            streams.restore_remaining(state["remaining"])
        return streams
