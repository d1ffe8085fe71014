"""Initial weights of question answering, against the distributions of the published script."""

import json
from pathlib import Path

import _jsonnet
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.nn import Initializer

ROOT = Path(__file__).parents[2]


@pytest.fixture
def weights(monkeypatch: pytest.MonkeyPatch) -> dict[str, torch.Tensor]:
    monkeypatch.chdir(ROOT)
    import_plugins()
    config = json.loads(_jsonnet.evaluate_file("training_configs/squad/elmo_both.jsonnet"))
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    vocabulary = Vocabulary.from_instances(reader.read(config["validation_data_path"]))
    torch.manual_seed(0)
    model = Model.from_params(Params(config["model"]), vocab=vocabulary)
    return {name: w.detach() for name, w in model.named_parameters() if w.requires_grad}


def test_initial_weights(weights: dict[str, torch.Tensor]) -> None:
    unchecked = {
        name for name in weights if not name.endswith(("bias", "bias_ih_l0", "bias_hh_l0"))
    }
    for name, weight in weights.items():
        if name not in unchecked:
            assert not weight.any(), name
        elif "_gru.weight" in name:
            # Standard deviation of a normal distribution that ends two of them from its mean.
            assert weight.std() == pytest.approx(0.05 * 0.8796, rel=0.03)
            assert weight.abs().max() <= 2 * 0.05
            unchecked.remove(name)
        elif name.endswith(("merge.weight", "predictor.weight", "conv_layer_0.weight")):
            _check_glorot(weight, sum(weight.shape[:2]) * weight[0][0].numel())
            unchecked.remove(name)
        elif name.endswith("attention._weight_vector"):
            _check_glorot(weight, 2 * len(weight) // 3)  # three vectors in one
            unchecked.remove(name)
    assert weights["_no_alignment"] == -1
    characters = "_text_field_embedder.token_embedder_token_characters._embedding._module.weight"
    assert weights[characters].abs().max() <= 0.05
    mixes = {name for name in unchecked if "scalar_mixes" in name}
    assert unchecked - mixes == {"_no_alignment", characters}


def _check_glorot(weight: torch.Tensor, fans: int) -> None:
    bound = (6 / fans) ** 0.5
    assert 0.8 * bound < weight.abs().max() <= bound
    assert weight.var() == pytest.approx(bound**2 / 3, rel=0.3)


def test_truncated_normal_without_deviation() -> None:
    with pytest.raises(ConfigurationError, match="std: expected a positive number, got 0"):
        Initializer.from_params(Params({"type": "truncated_normal", "std": 0}))


def test_truncated_normal_has_the_mean_and_the_bounds() -> None:
    initializer = Initializer.from_params(
        Params({"type": "truncated_normal", "mean": 3.0, "std": 0.5})
    )
    tensor = torch.zeros(100_000)
    initializer(tensor)
    assert tensor.mean() == pytest.approx(3, abs=0.01)
    assert 2 <= tensor.min() < 2.01 and 3.99 < tensor.max() <= 4
