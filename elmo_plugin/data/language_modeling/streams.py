"""Parallel streams for truncated backpropagation through time: from sentences to batches."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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


@dataclass
class _Reading:
    """A sentence that a stream reads: its position in the text, and how much has been read."""

    position: StreamPosition
    tokens: TokenSequence
    read: int = 0


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
        self._streams = [_Reading(StreamPosition(), TokenSequence([], [])) for _ in range(number)]

    def take(self, steps: int) -> list[TokenSequence]:
        """Return the next `steps` tokens of each stream with their targets."""
        return [self._take(stream, steps) for stream in range(len(self._streams))]

    def state(self) -> StreamState:
        # Not the words: each batch has a state, and sentences may be long.
        streams = [[*each.position, each.read] for each in self._streams]
        return {"position": list(self._sentences.position), "streams": streams}

    def restore(self, streams: Sequence[Sequence[int]]) -> None:
        """Continue the sentences that the streams had begun: the `streams` of a state."""
        begun = [(StreamPosition(*position), read) for *position, read in streams]
        sentences = self._sentences.at(position for position, _ in begun)
        self._streams = [
            _Reading(position, self._to_sequence(sentences[position]), read)
            for position, read in begun
        ]

    def _take(self, stream: int, steps: int) -> TokenSequence:
        taken = TokenSequence([], [])
        while len(taken.inputs) < steps:
            reading = self._streams[stream]
            if reading.read == len(reading.tokens.inputs):
                tokens = self._to_sequence(next(self._sentences))
                reading = self._streams[stream] = _Reading(self._sentences.position, tokens)
            part = slice(reading.read, reading.read + steps - len(taken.inputs))
            taken.inputs.extend(reading.tokens.inputs[part])
            taken.targets.extend(reading.tokens.targets[part])
            reading.read = min(part.stop, len(reading.tokens.inputs))
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
            streams.restore(state["streams"])
        return streams
