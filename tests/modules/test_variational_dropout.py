"""The Seq2SeqEncoder `variational_dropout`, and dropout of the slice of `elmo_output`."""

import json
from typing import Any

import pytest
import torch
from allennlp.common import Params
from allennlp.modules import Seq2SeqEncoder
from torch.testing import assert_close

X_DIM, ELMO_DIM, TOKENS = 40, 60, 7


def built(config: dict[str, Any]) -> Seq2SeqEncoder:
    return Seq2SeqEncoder.from_params(Params(json.loads(json.dumps(config)))).train()


def dropped(dim: int = X_DIM, **arguments: float) -> dict[str, Any]:
    encoder = {"type": "pass_through", "input_dim": dim}
    return {"type": "variational_dropout", "encoder": encoder, **arguments}


def in_elmo_output(encoder: dict[str, Any], **arguments: float) -> Seq2SeqEncoder:
    slice_ = {"start": 0, "end": ELMO_DIM}
    return built({"type": "elmo_output", "encoder": encoder, **slice_, **arguments})


def values(outputs: torch.Tensor) -> set[float]:
    return set(outputs.unique().tolist())


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


@pytest.mark.parametrize("place", ["input_dropout", "output_dropout"])
def test_drops_the_same_dimensions_at_all_tokens(place: str) -> None:
    encoder = built(dropped(**{place: 0.5}))
    outputs = encoder(torch.ones(3, TOKENS, X_DIM), torch.ones(3, TOKENS, dtype=torch.bool))
    assert values(outputs) == {0.0, 2.0}
    assert torch.equal(outputs, outputs[:, :1].expand_as(outputs))
    assert not torch.equal(outputs[0], outputs[1])


def test_input_and_output_are_dropped_independently() -> None:
    encoder = built(dropped(input_dropout=0.5, output_dropout=0.5))
    assert values(encoder(torch.ones(3, TOKENS, X_DIM), None)) == {0.0, 4.0}


def test_evaluation_runs_the_encoder_alone() -> None:
    lstm = {"type": "lstm", "input_size": X_DIM, "hidden_size": 3, "bidirectional": True}
    encoder: Any = built({**dropped(input_dropout=0.5, output_dropout=0.5), "encoder": lstm}).eval()
    inputs, mask = torch.randn(2, TOKENS, X_DIM), torch.ones(2, TOKENS, dtype=torch.bool)
    assert_close(encoder(inputs, mask), encoder.encoder(inputs, mask), atol=0, rtol=0)
    sizes = (encoder.get_input_dim(), encoder.get_output_dim(), encoder.is_bidirectional())
    assert sizes == (X_DIM, 6, True)


def test_slice_of_elmo_output_bypasses_the_dropout_of_the_encoder() -> None:
    encoder = in_elmo_output(dropped(input_dropout=0.5, output_dropout=0.5))
    outputs = encoder(torch.ones(2, TOKENS, ELMO_DIM + X_DIM), None)
    encoded, elmo = outputs.split((X_DIM, ELMO_DIM), dim=-1)
    assert values(encoded) == {0.0, 4.0}
    assert values(elmo) == {1.0}


def test_dropout_of_elmo_output_applies_to_the_slice_once() -> None:
    encoder = in_elmo_output(dropped(), dropout=0.5)
    encoded, elmo = encoder(torch.ones(2, TOKENS, ELMO_DIM + X_DIM), None).split(
        (X_DIM, ELMO_DIM), dim=-1
    )
    assert values(encoded) == {1.0}
    assert values(elmo) == {0.0, 2.0}
    assert not torch.equal(elmo[:, 0], elmo[:, 1])  # element by element
