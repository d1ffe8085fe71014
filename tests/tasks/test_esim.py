"""`elmo_esim` and the switches of its configuration, against AllenNLP's `esim`."""

import json
from typing import Any

import _jsonnet
import pytest
import torch
from allennlp.common import Params
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model
from torch.testing import assert_close

CHANGE = {
    "sizes": {"hidden": 6},
    "bilm": {
        "options_file": "fixtures/bilm/options.json",
        "weight_file": "fixtures/bilm/weights.hdf5",
        "dim": 64,
    },
}


pytestmark = pytest.mark.usefixtures("at_the_root")


def config_of(name: str, change: str = "{}") -> dict[str, Any]:
    snippet = (
        f"(import 'training_configs/snli/{name}.jsonnet') {{ local change = {json.dumps(CHANGE)}, "
        f"sizes+:: change.sizes, paths+:: {{ bilm: change.bilm }} }} + {change}"
    )
    return json.loads(_jsonnet.evaluate_snippet("test", snippet))


def model_and_batch(config: dict[str, Any], **changes: Any) -> tuple[Model, dict[str, Any]]:
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    instances = list(reader.read(config["validation_data_path"]))[:6]
    vocabulary = Vocabulary.from_instances(instances)
    for instance in instances:
        instance.index_fields(vocabulary)
    torch.manual_seed(0)
    model = Model.from_params(Params(config["model"] | changes), vocab=vocabulary)
    return model, Batch(instances).as_tensor_dict()


@pytest.mark.parametrize("name", ["baseline", "published"])
def test_evaluates_as_esim(name: str) -> None:
    model, batch = model_and_batch(config_of(name))
    config = config_of(name)
    config["model"].pop("attention_dropout", None)
    reference, _ = model_and_batch(config, type="esim")
    reference.load_state_dict(model.state_dict(), strict=True)
    found, expected = (m.eval()(**batch)["label_logits"] for m in (model, reference))
    assert_close(found, expected, atol=0, rtol=0)


def test_attention_dropout_drops_what_the_projection_reads() -> None:
    model, batch = model_and_batch(config_of("baseline", "{ attention_dropout:: 0.5 }"))
    read: list[torch.Tensor] = []
    first = model._projection_feedforward._linear_layers[0]
    first.register_forward_pre_hook(lambda _, args: read.append(args[0]))
    model.train()(**batch)
    assert len(read) == 2  # premise and hypothesis
    for inputs in read:
        assert 0.45 < (inputs[inputs.any(-1)] == 0).float().mean() < 0.6


def test_l2_penalizes_every_weight_matrix_and_the_mixes() -> None:
    model, _ = model_and_batch(config_of("published"))
    weights = {
        name: w.square().sum()
        for name, w in model.named_parameters()
        if "weight" in name and w.requires_grad
    }
    assert {w.split(".")[0] for w in weights} == {
        *("_encoder", "_inference_encoder"),
        *("_projection_feedforward", "_output_feedforward", "_output_logit"),
    }
    mixes = [w for n, w in model.named_parameters() if n.endswith("scalar_parameters")]
    with torch.no_grad():
        for mix in mixes:
            mix.fill_(1.0)
    expected = 0.0001 * sum(weights.values()) + 0.001 * 2 * 3
    assert_close(torch.as_tensor(model.get_regularization_penalty()), expected)


def test_published_normalizes_over_the_batch() -> None:
    embedders = config_of("published")["model"]["text_field_embedder"]["token_embedders"]
    assert embedders["elmo"]["do_layer_norm"] == "batch"
    model, batch = model_and_batch(config_of("published"))
    alone = {key: {k: v[:1] for k, v in text.items()} for key, text in batch["premise"].items()}
    embed = model.eval()._text_field_embedder
    together = embed(batch["premise"])[:1, :, :128]  # ELMo
    assert not torch.allclose(embed(alone)[..., :128], together, atol=1e-4)
