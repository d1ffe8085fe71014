"""The Seq2SeqEncoder `elmo_output` in models."""

from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common import Params
from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder
from torch.testing import assert_close

from elmo_plugin.modules.seq2seq_encoders.elmo_output import ElmoOutputEncoder
from elmo_plugin.modules.token_embedders.elmo import ElmoTokenEmbedder

DATA = Path(__file__).parent / "documented" / "data"


FIXTURES = Path(__file__).parents[2] / "fixtures"


X_DIM, ELMO_DIM, HIDDEN = 6, 64, 4


BILM = {
    "options_file": str(FIXTURES / "bilm" / "options.json"),
    "weight_file": str(FIXTURES / "bilm" / "weights.hdf5"),
}


# Models of AllenNLP, each with what differs by whether ELMo joins the output of its encoder:
# `out` is that encoder's dimension, `encoder` and `embedder` make the rest.
def _lstm(input_size: int) -> dict[str, Any]:
    return {"type": "lstm", "input_size": input_size, "hidden_size": HIDDEN, "bidirectional": True}


def _feedforward(input_dim: int, hidden: int = 5) -> dict[str, Any]:
    return {"input_dim": input_dim, "num_layers": 1, "hidden_dims": hidden, "activations": "relu"}


def _models(encoder: Any, out: int) -> dict[str, tuple[str, str, dict[str, Any]]]:
    last = {"input_dim": 5, "num_layers": 1, "hidden_dims": 3, "activations": "linear"}
    esim = {
        "encoder": encoder(X_DIM),
        "matrix_attention": {"type": "dot_product"},
        "projection_feedforward": _feedforward(4 * out),
        "inference_encoder": _lstm(5),
        "output_feedforward": _feedforward(4 * 2 * HIDDEN),
        "output_logit": last,
    }
    srl = {"encoder": encoder(X_DIM + 3), "binary_feature_dim": 3, "ignore_span_metric": True}
    bidaf = {
        "num_highway_layers": 0,
        "phrase_layer": encoder(X_DIM),
        "matrix_attention": {"type": "dot_product"},
        "modeling_layer": _lstm(4 * out),
        "span_end_encoder": _lstm(4 * out + 3 * 2 * HIDDEN),
    }
    return {
        "crf_tagger": ("conll2003", "ner.conll", {"encoder": encoder(X_DIM)}),
        "simple_tagger": ("conll2003", "ner.conll", {"encoder": encoder(X_DIM)}),
        "esim": ("snli", "snli.jsonl", esim),
        "srl": ("srl", "srl", srl),
        "bidaf": ("squad", "squad.json", bidaf),
    }


@Seq2SeqEncoder.register("padded_output")
class PaddedOutput(Seq2SeqEncoder):
    """Encoder whose output has the size of that with ELMo, padded with zeros."""

    def __init__(self, encoder: Seq2SeqEncoder) -> None:
        super().__init__()
        self.encoder = encoder

    def get_input_dim(self) -> int:
        return self.encoder.get_input_dim()

    def get_output_dim(self) -> int:
        return self.encoder.get_output_dim() + ELMO_DIM

    def forward(self, inputs: torch.Tensor, mask: torch.BoolTensor) -> torch.Tensor:
        encoded = self.encoder(inputs, mask)
        return torch.cat([encoded, encoded.new_zeros(*encoded.shape[:-1], ELMO_DIM)], dim=-1)


def _with_elmo(input_size: int) -> dict[str, Any]:
    return {
        "type": "elmo_output",
        "encoder": _lstm(input_size),
        "start": 0,
        "end": ELMO_DIM,
        "embedder_dims": {"elmo": ELMO_DIM, "tokens": X_DIM},
    }


def _padded(input_size: int) -> dict[str, Any]:
    return {"type": "padded_output", "encoder": _lstm(input_size)}


def _model(name: str, elmo: bool) -> tuple[list[Instance], Model]:
    make = _with_elmo if elmo else _padded
    reader_type, file, arguments = _models(make, 2 * HIDDEN + ELMO_DIM)[name]
    reader = {"type": reader_type, "token_indexers": {"tokens": {"type": "single_id"}}}
    embedders: dict[str, Any] = {"tokens": {"type": "embedding", "embedding_dim": X_DIM}}
    if elmo:
        reader["token_indexers"]["elmo"] = {"type": "elmo_characters"}
        embedders["elmo"] = {"type": "elmo", **BILM}
    instances = list(DatasetReader.from_params(Params(reader)).read(str(DATA / file)))
    vocabulary = Vocabulary.from_instances(instances)
    config = {"type": name, "text_field_embedder": {"token_embedders": embedders}, **arguments}
    model = Model.from_params(Params(config), vocab=vocabulary)
    for instance in instances:
        instance.index_fields(vocabulary)
    return instances, model


@pytest.mark.parametrize("name", _models(_padded, 2 * HIDDEN + ELMO_DIM))
def test_model_with_a_zero_slice_equals_the_unwrapped_one(name: str) -> None:
    instances, model = _model(name, elmo=True)
    plain_instances, plain = _model(name, elmo=False)
    (embedder,) = (m for m in model.modules() if isinstance(m, ElmoTokenEmbedder))
    (wrapper,) = (m for m in model.modules() if isinstance(m, ElmoOutputEncoder))
    assert wrapper.get_output_dim() == 2 * HIDDEN + ELMO_DIM

    # Every parameter of the one is the other's, of the same shape, but for ELMo's own.
    own = {k: v for k, v in model.state_dict().items() if "token_embedder_elmo" not in k}
    plain.load_state_dict(own, strict=True)

    def outputs(model: Model, instances: list[Instance]) -> dict[str, torch.Tensor]:
        with torch.no_grad():
            found = model.eval()(**Batch(instances).as_tensor_dict())
        return {k: v for k, v in found.items() if isinstance(v, torch.Tensor)}

    expected = outputs(plain, plain_instances)
    assert outputs(model, instances)["loss"] != expected["loss"]  # with ELMo, something changes
    with torch.no_grad():
        embedder._elmo.scalar_mixes[0].gamma.zero_()
    found = outputs(model, instances)
    assert found.keys() == expected.keys()
    for key in expected:
        assert_close(found[key], expected[key], atol=0, rtol=0)
