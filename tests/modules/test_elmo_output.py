"""The Seq2SeqEncoder `elmo_output` around encoders."""

import json
from typing import Any

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.modules import Seq2SeqEncoder
from torch.testing import assert_close

ENCODERS: dict[str, dict[str, Any]] = {
    "lstm": {"type": "lstm", "input_size": 6, "hidden_size": 3, "bidirectional": True},
    "gru": {"type": "gru", "input_size": 6, "hidden_size": 5, "num_layers": 2},
    "stacked_bidirectional_lstm": {
        "type": "stacked_bidirectional_lstm",
        "input_size": 6,
        "hidden_size": 3,
        "num_layers": 2,
    },
    "alternating_lstm": {
        "type": "alternating_lstm",
        "input_size": 6,
        "hidden_size": 5,
        "num_layers": 2,
    },
    "gated-cnn-encoder": {
        "type": "gated-cnn-encoder",
        "input_dim": 6,
        "layers": [[[2, 6]], [[2, 6]]],
        "dropout": 0.0,
    },
    "pytorch_transformer": {
        "type": "pytorch_transformer",
        "input_dim": 6,
        "feedforward_hidden_dim": 8,
        "num_layers": 1,
        "num_attention_heads": 2,
    },
    "feedforward": {
        "type": "feedforward",
        "feedforward": {"input_dim": 6, "num_layers": 1, "hidden_dims": 5, "activations": "relu"},
    },
    "pass_through": {"type": "pass_through", "input_dim": 6},
    "compose": {
        "type": "compose",
        "encoders": [
            {"type": "lstm", "input_size": 6, "hidden_size": 4},
            {"type": "gru", "input_size": 4, "hidden_size": 5},
        ],
    },
}


def wrapped(encoder: Any, **arguments: Any) -> Any:
    config = {"type": "elmo_output", "encoder": encoder, **arguments}
    return Seq2SeqEncoder.from_params(Params(json.loads(json.dumps(config)))).eval()


@pytest.mark.parametrize("start", [0, 2, 6])
@pytest.mark.parametrize("name", ENCODERS)
def test_slice_is_appended_to_the_encoded_rest(name: str, start: int) -> None:
    encoder = wrapped(ENCODERS[name], start=start, end=start + 3)
    rest, elmo = torch.randn(2, 5, 6), torch.randn(2, 5, 3)
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    output = encoder(torch.cat([rest[..., :start], elmo, rest[..., start:]], -1), mask)

    assert encoder.get_input_dim() == 6 + 3
    assert encoder.get_output_dim() == encoder.encoder.get_output_dim() + 3 == output.size(-1)
    assert not encoder.is_bidirectional()
    expected = encoder.encoder(rest, mask)
    assert_close(output[..., :-3], expected, atol=0, rtol=0)
    assert_close(output[..., -3:], elmo, atol=0, rtol=0)


def test_gradients_reach_slice_and_encoder() -> None:
    encoder = wrapped(ENCODERS["lstm"], start=2, end=5)
    inputs = torch.randn(1, 4, 9, requires_grad=True)
    encoder(inputs, torch.ones(1, 4, dtype=torch.bool)).sum().backward()
    assert inputs.grad is not None and inputs.grad.ne(0).all()
    assert_close(inputs.grad[..., 2:5], torch.ones(1, 4, 3))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"start": 4, "end": 4}, "expected 0 <= start < end"),
        ({"start": -3, "end": 0}, "expected 0 <= start < end"),
        ({"start": 7, "end": 10}, "outside of the input's 9 dimensions"),
        ({"start": 0, "end": 3, "embedder_dims": {"elmo": 3, "tokens": 7}}, "give more than"),
        # The keys in sorted order: elmo lies before tokens, however they are written.
        (
            {"start": 5, "end": 8, "embedder_dims": {"x": 6, "elmo": 3}},
            r"elmo \[0, 3\), x \[3, 9\)",
        ),
        ({"start": 2, "end": 5, "embedder_dims": {"a": 3, "elmo": 3}}, "begins within it"),
    ],
)
def test_slice_that_does_not_fit_raises(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint) as error:
        wrapped(ENCODERS["lstm"], **arguments)
    message = str(error.value)
    assert f"[{arguments['start']}, {arguments['end']})" in message
    assert "takes the other 6 dimensions and gives 6" in message
    assert "sorted keys" in message


def test_fewer_embedders_than_dimensions() -> None:
    """SRL's model appends features after the embedders."""
    dims = {"tokens": 4, "elmo": 3}
    assert wrapped(ENCODERS["lstm"], start=0, end=3, embedder_dims=dims).get_input_dim() == 9


def test_input_of_another_size_raises() -> None:
    encoder = wrapped(ENCODERS["lstm"], start=0, end=3)
    with pytest.raises(ConfigurationError, match=r"input of 9 dimensions, got 8.*\[0, 3\)"):
        encoder(torch.randn(1, 2, 8), None)
