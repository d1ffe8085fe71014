"""Streams against bilm-tf's batcher, given the sentences in the order in which they were drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

from tests.helpers.text_streams import (
    BATCH_SIZE,
    UNROLL,
    drawn_sentences,
    make_loader,
    read_words,
    write_sentences,
)


@pytest.fixture
def sentences(tmp_path: Path) -> list[list[str]]:
    return write_sentences(tmp_path)


def _bilm_tf_batches(
    sentences: Iterator[list[str]], batch_size: int, num_steps: int
) -> Iterator[tuple[numpy.ndarray, numpy.ndarray]]:
    """`_get_batch` of bilm-tf's data.py for one direction, without what concerns characters."""
    cur_stream: list[Any] = [None] * batch_size
    while True:
        inputs = numpy.full([batch_size, num_steps], "", dtype=object)
        targets = numpy.full([batch_size, num_steps], "", dtype=object)
        for i in range(batch_size):
            cur_pos = 0
            while cur_pos < num_steps:
                if cur_stream[i] is None or len(cur_stream[i]) <= 1:
                    cur_stream[i] = next(sentences)
                how_many = min(len(cur_stream[i]) - 1, num_steps - cur_pos)
                next_pos = cur_pos + how_many
                inputs[i, cur_pos:next_pos] = cur_stream[i][:how_many]
                targets[i, cur_pos:next_pos] = cur_stream[i][1 : how_many + 1]
                cur_pos = next_pos
                cur_stream[i] = cur_stream[i][how_many:]
        yield inputs, targets


def test_batches_as_in_bilm_tf(tmp_path: Path, sentences: list[list[str]]) -> None:
    loader = make_loader(tmp_path)
    batches = read_words(tmp_path, [batch for _ in range(3) for batch in loader])
    for direction, encode in enumerate(
        [
            lambda words: ["<S>", *words, "</S>"],
            lambda words: ["</S>", *reversed(words), "<S>"],
        ]
    ):
        drawn = (encode(sentences[i]) for i in drawn_sentences(batches, direction))
        expected = _bilm_tf_batches(drawn, BATCH_SIZE, UNROLL)
        for batch, (inputs, targets) in zip(batches, expected):
            assert batch.inputs[direction].tolist() == inputs.tolist()
            assert batch.targets[direction].tolist() == targets.tolist()


def test_every_sentence_once_before_any_comes_again(
    tmp_path: Path, sentences: list[list[str]]
) -> None:
    loader = make_loader(tmp_path)
    batches = read_words(tmp_path, [batch for _ in range(4) for batch in loader])
    whole = list(range(len(sentences)))
    passes = []
    for direction in range(2):
        order = drawn_sentences(batches, direction)
        passes += [order[start : start + len(whole)] for start in (0, len(whole), 2 * len(whole))]
    for one in passes:
        assert sorted(one) == whole
    # Each pass and each direction in an order of its own.
    assert len({tuple(one) for one in [*passes, whole]}) == 7
