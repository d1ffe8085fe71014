"""The Seq2VecEncoder `input_dropout`."""

import json

import pytest
import torch
from allennlp.common import Params
from allennlp.modules import Seq2VecEncoder
from torch.testing import assert_close

CNN = {"type": "cnn", "embedding_dim": 4, "num_filters": 3, "ngram_filter_sizes": [2]}


def built(dropout: float) -> Seq2VecEncoder:
    config = {"type": "input_dropout", "encoder": CNN, "dropout": dropout}
    return Seq2VecEncoder.from_params(Params(json.loads(json.dumps(config))))


def test_drops_the_input_in_training() -> None:
    encoder = built(dropout=1.0).train()
    found = encoder(torch.randn(2, 5, 4), None)
    expected = encoder.encoder(torch.zeros(2, 5, 4), None)
    assert_close(found, expected, atol=0, rtol=0)


def test_drops_at_its_rate() -> None:
    encoder, read = built(dropout=0.25).train(), []
    encoder.encoder.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0]))
    encoder(torch.ones(20, 50, 4), None)
    assert (read[0] == 0).float().mean().item() == pytest.approx(0.25, abs=0.05)
    assert read[0].max().item() == pytest.approx(1 / 0.75)


def test_evaluation_runs_the_encoder_alone() -> None:
    encoder = built(dropout=0.5).eval()
    tokens, mask = torch.randn(2, 5, 4), torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    assert_close(encoder(tokens, mask), encoder.encoder(tokens, mask), atol=0, rtol=0)
    assert (encoder.get_input_dim(), encoder.get_output_dim()) == (4, 3)
