"""The configurations `cove.jsonnet` on the fixtures: trained, and unlike `baseline.jsonnet` in CoVe
and, for SST-5, dropout."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.data import Batch, DatasetReader

from elmo_plugin.experiments.runner.configurations import read_configuration
from elmo_plugin.layers.cove import Cove

ROOT = Path(__file__).parents[2]
SIZES = {
    "squad": "{ character: 4, character_filters: 6, hidden: 8, linear: 10 }",
    "sst5": "{ hidden: 8, output: [6, 5] }",
}


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    import_plugins()


def configuration(task: str, name: str, changed: str = "{}") -> dict[str, Any]:
    overrides = f"{{ sizes+:: {SIZES[task]}, dataset_reader+: {{ max_instances: 6 }} }}"
    path = f"{ROOT}/training_configs/{task}/{name}.jsonnet"
    return read_configuration(
        path, f"{overrides} + {{ trainer+: {{ num_epochs: 1 }} }} + {changed}"
    )


def without_cove(config: Any) -> Any:
    """Leave out CoVe, and the sizes of inputs."""
    if isinstance(config, list):
        return [without_cove(one) for one in config]
    if not isinstance(config, dict):
        return config
    left_out = {"cove", "input_dim", "input_size"}
    return {key: without_cove(value) for key, value in config.items() if key not in left_out}


@pytest.mark.parametrize(("task", "changed"), [("squad", "{}"), ("sst5", "{ dropout:: 0.5 }")])
def test_cove_is_all_that_is_added(task: str, changed: str) -> None:
    baseline, cove = configuration(task, "baseline", changed), configuration(task, "cove")
    assert baseline != cove
    assert json.dumps(without_cove(cove)) == json.dumps(without_cove(baseline))


@pytest.mark.parametrize("task", SIZES)
def test_tokens_are_word_vectors_and_the_top_layer_of_cove(task: str, tmp_path: Path) -> None:
    config = configuration(task, "cove")
    model = train_model(Params(json.loads(json.dumps(config))), str(tmp_path / "run")).eval()
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    batch = Batch(list(reader.read(config["validation_data_path"]))[:2])
    batch.index_instances(model.vocab)
    tensors = batch.as_tensor_dict()
    text = tensors["passage" if task == "squad" else "tokens"]
    embedder = model._text_field_embedder
    with torch.no_grad():
        embedded = embedder(text)
        words = embedder.token_embedder_tokens(text["tokens"]["tokens"])
        cove = embedder.token_embedder_cove._cove
        # Words without a vector have random ones, in each copy others.
        read = embedder.token_embedder_cove._embedding(text["tokens"]["tokens"])
        expected = cove(read, text["tokens"]["tokens"] != 0)[-1]
    assert isinstance(cove, Cove) and not any(p.requires_grad for p in cove.parameters())
    # Embedders are in the order of their names.
    torch.testing.assert_close(embedded[..., : cove.output_dim], expected)
    torch.testing.assert_close(embedded[..., -16:], words)
    same = (read == words).all(-1)
    assert same.any()


@pytest.mark.parametrize(("name", "start"), [("elmo_output", 600), ("elmo_both", 600 + 64)])
def test_elmo_at_the_output_is_after_cove(name: str, start: int) -> None:
    bilm = "{ dim: 64, options_file: 'options.json', weight_file: 'weights.hdf5' }"
    path = f"{ROOT}/training_configs/squad/{name}.jsonnet"
    config = read_configuration(path, f"{{ cove:: {{}}, paths+:: {{ bilm: {bilm} }} }}")
    layer = config["model"]["phrase_layer"]
    assert (layer["start"], layer["end"]) == (start, start + 64)
    assert layer["embedder_dims"]["cove"] == 600
