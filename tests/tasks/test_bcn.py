"""`elmo_bcn` against AllenNLP's `bcn` with AllenNLP's own ELMo, of the same weights."""

import json
from pathlib import Path
from typing import Any

import _jsonnet
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
from allennlp.models import Model
from torch.testing import assert_close

from elmo_plugin.tasks.bcn import ElmoClassifierPredictor

ROOT = Path(__file__).parents[2]
FILES = {
    "options_file": str(ROOT / "fixtures" / "bilm" / "options.json"),
    "weight_file": str(ROOT / "fixtures" / "bilm" / "weights.hdf5"),
}


pytestmark = pytest.mark.usefixtures("at_the_root")


def config_of(name: str) -> dict[str, Any]:
    change = {"sizes": {"hidden": 5, "output": [6, 7]}, "bilm": {**FILES, "dim": 64}}
    snippet = (
        f"(import 'training_configs/sst5/{name}.jsonnet') {{ local change = {json.dumps(change)}, "
        "sizes+:: change.sizes, paths+:: { bilm: change.bilm } }"
    )
    return json.loads(_jsonnet.evaluate_snippet("test", snippet))


def read(config: dict[str, Any]) -> tuple[list[Instance], Vocabulary]:
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    instances = list(reader.read(config["train_data_path"]))[:4]
    vocabulary = Vocabulary.from_instances(instances)
    for label in range(5):
        vocabulary.add_token_to_namespace(str(label), "labels")
    for instance in instances:
        instance.index_fields(vocabulary)
    return instances, vocabulary


@pytest.mark.parametrize("name", ["elmo", "elmo_output", "elmo_both"])
def test_equals_allennlps(name: str) -> None:
    config = config_of(name)
    instances, vocabulary = read(config)
    ours: Any = Model.from_params(Params(config_of(name)["model"]), vocab=vocabulary).eval()
    mixes = config["model"]["elmo"]["num_output_representations"]
    theirs_config = {
        **config_of(name)["model"],
        "type": "bcn",
        "elmo": {**FILES, "num_output_representations": mixes, "dropout": 0.0},
    }
    theirs: Any = Model.from_params(Params(theirs_config), vocab=vocabulary).eval()
    weights = {key: w for key, w in ours.state_dict().items() if not key.startswith("_elmo.")}
    missing, unexpected = theirs.load_state_dict(weights, strict=False)
    assert not unexpected and all(key.startswith("_elmo.") for key in missing)
    with torch.no_grad():
        for number, mix in enumerate(ours._elmo._scalar_mixes):
            mix.scalar_parameters.normal_()
            mix.gamma.fill_(number + 2.0)
            published = theirs._elmo._scalar_mixes[number]
            published.gamma.copy_(mix.gamma)
            for parameter, value in zip(published.scalar_parameters, mix.scalar_parameters):
                parameter.fill_(value)
        found, expected = (
            model(**Batch(instances).as_tensor_dict())["logits"] for model in (ours, theirs)
        )
    assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_predictions_are_labels_for_saliency() -> None:
    """AllenNLP's interpreters label an instance with what the model predicts for it."""
    config = config_of("elmo")
    _, vocabulary = read(config)
    model: Any = Model.from_params(Params(config["model"]), vocab=vocabulary).eval()
    reader = DatasetReader.from_params(Params(config_of("elmo")["dataset_reader"]))
    predictor = ElmoClassifierPredictor(model, reader)
    given = {"sentence": ["A", "good", "film", "."]}
    (labeled,) = predictor.json_to_labeled_instances(given)
    probabilities = predictor.predict_json(given)["class_probabilities"]
    assert labeled["label"].label == probabilities.index(max(probabilities))


def test_number_of_mixes_that_does_not_fit_raises() -> None:
    config = config_of("elmo")
    _, vocabulary = read(config)
    config["model"]["elmo"]["num_output_representations"] = 2
    with pytest.raises(ConfigurationError, match="num_output_representations=2"):
        Model.from_params(Params(config["model"]), vocab=vocabulary)
