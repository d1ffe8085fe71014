"""Parallel streams of truncated backpropagation through time."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader, Instance, TensorDict, Vocabulary
from allennlp.nn.util import move_to_device

from elmo_plugin.data.bilm_text import BilmTextReader
from elmo_plugin.data.text import read_lines, read_sentences, text_files
from elmo_plugin.data.vocabulary import NAMESPACE
from elmo_plugin.data.windows import Row, WindowMaker, backward_row, forward_row

# Sentences that are shuffled among themselves; as many are in memory at once.
_SHUFFLED_TOGETHER = 100_000


@DataLoader.register("bilm_streams")
class BilmStreamLoader(DataLoader):
    """
    Cuts text into windows for truncated backpropagation. A batch has `batch_size` rows of `unroll`
    words in each direction; each row goes on where the same row of the batch before ended, so a
    model may carry its state along. Both directions have streams of their own, each shuffled by
    itself, and a stream takes the next sentence when its last one ends, as in bilm-tf.

    Registered as a `DataLoader` with name "bilm_streams".

    # Parameters

    reader : `BilmTextReader`
    data_path : `str`
        A file or a glob, one tokenized sentence a line.
    batch_size : `int`, optional (default = `128`)
        Streams in each direction.
    unroll : `int`, optional (default = `20`)
        Words of a window.
    batches_per_epoch : `int`, optional (default = `None`)
        Batches of an epoch; as many as the text has, if not given. The next epoch goes on in the
        text where this one ended.
    seed : `int`, optional (default = `13370`)
        Of the shuffling.

    # Raises

    `ConfigurationError` : another reader, a size below 1, no text, or less text than one window of
    all streams.
    """

    def __init__(
        self,
        reader: DatasetReader,
        data_path: str,
        batch_size: int = 128,
        unroll: int = 20,
        batches_per_epoch: Optional[int] = None,
        seed: int = 13370,
        cuda_device: Optional[int] = None,
    ) -> None:
        if not isinstance(reader, BilmTextReader):
            raise ConfigurationError(
                f"bilm_streams: expected the dataset reader bilm_text, got {type(reader).__name__}"
            )
        sizes = {
            "batch_size": batch_size,
            "unroll": unroll,
            "batches_per_epoch": batches_per_epoch,
        }
        for name, size in sizes.items():
            if size is not None and size < 1:
                raise ConfigurationError(f"{name}: expected at least 1, got {size}")
        self.reader = reader
        self.data_path = data_path
        self.files = text_files(data_path)
        self.batch_size = batch_size
        self.unroll = unroll
        self.seed = seed
        self._device = None if cuda_device is None else torch.device(cuda_device)
        self._windows: Optional[WindowMaker] = None
        self._batches: Optional[Iterator[dict[str, torch.Tensor]]] = None
        # A sentence of n words makes n + 1 predictions in each direction.
        predictions = sum(
            len(sentence) + 1 for file in self.files for sentence in read_sentences(file)
        )
        batches = predictions // (batch_size * unroll)
        if not batches:
            raise ConfigurationError(
                f"{data_path}: expected text for {batch_size} streams of {unroll} words, "
                f"found {predictions} words with sentence ends"
            )
        self._length = batches_per_epoch or batches

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[TensorDict]:
        # The streams run on from epoch to epoch.
        if self._batches is None:
            self._batches = self._all_batches()
        for window in islice(self._batches, self._length):
            batch: TensorDict = {"text": window}
            yield batch if self._device is None else move_to_device(batch, self._device)

    def iter_instances(self) -> Iterator[Instance]:
        return iter(self.reader.read(self.data_path))

    def index_with(self, vocab: Vocabulary) -> None:
        word_ids = vocab.get_token_to_index_vocabulary(NAMESPACE)
        self._windows = WindowMaker(word_ids, self.reader.max_characters)

    def set_target_device(self, device: torch.device) -> None:
        self._device = device

    def _all_batches(self) -> Iterator[dict[str, torch.Tensor]]:
        assert self._windows is not None, "the loader has not been given its vocabulary"
        forward = self._streams(forward_row, f"{self.seed} forward")
        backward = self._streams(backward_row, f"{self.seed} backward")
        while True:
            yield self._windows.window(
                [stream.take(self.unroll) for stream in forward],
                [stream.take(self.unroll) for stream in backward],
            )

    def _streams(self, to_row: Callable[[Sequence[str]], Row], seed: str) -> list["Stream"]:
        sentences = shuffled_forever(self.files, seed)
        return [Stream(sentences, to_row) for _ in range(self.batch_size)]


class Stream:
    """
    One endless row of text, sentence after sentence.

    # Parameters

    sentences : `Iterator[Sequence[str]]`
        Where the next sentence comes from; streams may share it.
    to_row : `Callable`
        `forward_row` or `backward_row`.
    """

    def __init__(
        self, sentences: Iterator[Sequence[str]], to_row: Callable[[Sequence[str]], Row]
    ) -> None:
        self._sentences = sentences
        self._to_row = to_row
        self._left = Row([], [])

    def take(self, steps: int) -> Row:
        """The next `steps` words and what follows each."""
        taken = Row([], [])
        while len(taken.inputs) < steps:
            if not self._left.inputs:
                self._left = self._to_row(next(self._sentences))
            missing = steps - len(taken.inputs)
            taken.inputs.extend(self._left.inputs[:missing])
            taken.targets.extend(self._left.targets[:missing])
            self._left = Row(self._left.inputs[missing:], self._left.targets[missing:])
        return taken


def shuffled_forever(files: Sequence[str], seed: str) -> Iterator[list[str]]:
    """All sentences again and again: the files in random order, then the sentences of each part."""
    order = random.Random(seed)
    while True:
        # Lines take a tenth of the memory that lists of words do.
        lines = chain.from_iterable(map(read_lines, order.sample(files, len(files))))
        while part := list(islice(lines, _SHUFFLED_TOGETHER)):
            order.shuffle(part)
            yield from map(str.split, part)
