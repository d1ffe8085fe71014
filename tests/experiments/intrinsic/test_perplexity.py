"""Perplexity with carried state, against streams that are scored word by word as in bilm-tf."""

import math
from collections import deque

import numpy
import pytest
import torch

from elmo_plugin.experiments.intrinsic.perplexity import bilm_perplexity
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.layers.softmax import Softmax
from tests.helpers.random_bilm import SMALL, random_bilm

WORDS = ["<S>", "</S>", "<UNK>", *(f"word{i}" for i in range(12))]
LENGTHS = [3, 25, 1, 0, 7, 44, 2, 2, 9, 30, 5]
SENTENCES = [[WORDS[3 + (i * k + k) % 12] for i in range(k)] for k in LENGTHS]


@pytest.fixture
def model() -> LanguageModel:
    torch.manual_seed(0)
    softmax = Softmax(len(WORDS), SMALL.projection_dim)
    torch.nn.init.normal_(softmax.bias)
    return LanguageModel(random_bilm(), softmax).eval()


def streams_of(sentences: list[list[str]], rows: int) -> list[list[list[str]]]:
    """At each step, every row without words left takes the next sentence."""
    waiting, streams = deque(sentences), [[] for _ in range(rows)]  # type: ignore[var-annotated]
    left = [0] * rows
    while waiting:
        for row in range(rows):
            if not left[row] and waiting:
                streams[row].append(waiting.popleft())
                left[row] = len(streams[row][-1]) + 1
            left[row] = max(left[row] - 1, 0)
    return streams


def loss_of_stream(model: LanguageModel, stream: list[list[str]], direction: int) -> float:
    """The stream as one sequence; here, words are their own ids."""
    inputs, targets = [], []
    for sentence in stream:
        marked = ["<S>", *sentence, "</S>"]
        ids = [WORDS.index(word) for word in (marked, marked[::-1])[direction]]
        inputs += ids[:-1]
        targets += ids[1:]
    states = model.bilm.zero_states(1)
    total = 0.0
    for word, target in zip(inputs, targets):
        index = torch.full((2, 1, 1), word)
        hidden, states = model.bilm.run_streams(batch_to_ids([WORDS])[0], index, states)
        scores = hidden[direction, 0, 0] @ model.softmax.weight.T + model.softmax.bias
        total -= torch.log_softmax(scores, dim=0)[target].item()
    return total


@pytest.mark.parametrize("rows", [1, 3, 11, 64])
@torch.no_grad()
def test_carried_state_is_that_of_the_sentence_before_in_its_stream(
    rows: int, model: LanguageModel
) -> None:
    found = bilm_perplexity(model, WORDS, SENTENCES, rows, initial_state="carried")
    streams = streams_of(SENTENCES, rows)
    losses = [sum(loss_of_stream(model, s, direction) for s in streams) for direction in (0, 1)]
    predictions = sum(LENGTHS) + len(LENGTHS)
    expected = [
        *numpy.exp(numpy.divide(losses, predictions)),
        math.exp(sum(losses) / predictions / 2),
    ]
    assert list(found.values()) == pytest.approx(expected, rel=1e-5)


def test_with_a_stream_per_sentence_nothing_is_carried(model: LanguageModel) -> None:
    alone = bilm_perplexity(model, WORDS, SENTENCES)
    carried = bilm_perplexity(model, WORDS, SENTENCES, len(SENTENCES), initial_state="carried")
    assert carried == pytest.approx(alone, rel=1e-6)
    one_stream = bilm_perplexity(model, WORDS, SENTENCES, 1, initial_state="carried")
    assert one_stream != pytest.approx(alone, rel=1e-3)
