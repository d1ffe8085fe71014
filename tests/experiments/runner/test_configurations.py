"""Changes that experiments make to configurations, and what they leave alone."""

from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.nn import RegularizerApplicator

from elmo_plugin.experiments.runner.changes import (
    with_elmo,
    with_fraction,
    with_last_layer_only,
    with_penalty,
    with_schedule,
    with_seed,
    with_steps_per_epoch,
)
from elmo_plugin.experiments.runner.configurations import (
    read_configuration,
    validation_metric,
)
from elmo_plugin.experiments.runner.training import read_part

import_plugins()

CONFIGS = Path(__file__).parents[3] / "training_configs"


def leaves(value: Any, path: str = "") -> dict[str, Any]:
    """Return every number and string of a configuration, by its path."""
    if not isinstance(value, (dict, list)):
        return {path: value}
    children = value.items() if isinstance(value, dict) else enumerate(value)
    return {k: v for key, child in children for k, v in leaves(child, f"{path}.{key}").items()}


def difference(before: Any, after: Any) -> dict[str, Any]:
    old, new = leaves(before), leaves(after)
    assert not old.keys() - new.keys()
    return {path: value for path, value in new.items() if old.get(path) != value}


@pytest.fixture(params=["ner/elmo", "sst5/elmo_both", "coref/elmo", "srl/elmo", "squad/elmo_both"])
def config(request: pytest.FixtureRequest) -> dict[str, Any]:
    return read_configuration(CONFIGS / f"{request.param}.jsonnet")


def test_with_seed_sets_all_three_seeds(config: dict[str, Any]) -> None:
    changed = difference(config, with_seed(config, 7))
    assert changed == {".random_seed": 7, ".numpy_seed": 7, ".pytorch_seed": 7}


def test_with_last_layer_only_changes_the_embedders_mix_alone(config: dict[str, Any]) -> None:
    ((path, value),) = difference(config, with_last_layer_only(config)).items()
    assert path.endswith(".elmo.mix")
    assert value == "last"


def test_with_penalty_keeps_a_penalty_of_the_same_value() -> None:
    config = read_configuration(CONFIGS / "snli" / "elmo_both.jsonnet")
    assert with_penalty(config, 0.001) == config != with_penalty(config, 1.0)


def test_with_penalty_where_the_regularizer_is_null() -> None:
    model = with_penalty({"model": {"regularizer": None}}, 0.5)["model"]
    assert model == with_penalty({"model": {}}, 0.5)["model"]


def test_penalty_applies_to_every_mix_and_nothing_else(config: dict[str, Any]) -> None:
    """The expected sum is AllenNLP's RegularizerApplicator's."""
    model = config["model"]
    model["regularizer"] = {"regexes": [["bias", {"type": "l1", "alpha": 1.0}]]}
    changed = with_penalty(with_penalty(config, 5.0), 0.5)["model"]["regularizer"]
    parameters = {
        "elmo.scalar_mixes.0.scalar_parameters": torch.tensor([1.0, 2.0]),
        "elmo.scalar_mixes.1.scalar_parameters": torch.tensor([3.0]),
        "elmo.scalar_mixes.0.gamma": torch.tensor([4.0]),
        "linear.bias": torch.tensor([-6.0]),
    }
    module = torch.nn.Module()
    for name, value in parameters.items():
        parent = module
        *folders, last = name.split(".")
        for folder in folders:
            if not hasattr(parent, folder):
                parent.add_module(folder, torch.nn.Module())
            parent = parent.get_submodule(folder)
        parent.register_parameter(last, torch.nn.Parameter(value))
    applicator = RegularizerApplicator.from_params(Params(changed))
    assert applicator(module).item() == 0.5 * (1 + 4 + 9) + 6


def test_with_fraction_subsamples_training_data_alone(config: dict[str, Any]) -> None:
    reader = config["dataset_reader"]
    changed = with_fraction(config, 0.25, seed=3)
    assert changed["dataset_reader"] == {
        "type": "subsample",
        "reader": reader,
        "fraction": 0.25,
        "seed": 3,
    }
    assert changed["validation_dataset_reader"] == config.get("validation_dataset_reader", reader)
    assert with_fraction(config, 1, seed=3) == config


def test_null_is_the_reader_of_the_training_data() -> None:
    """All development data are read with `validation_dataset_reader: null`, as in AllenNLP."""
    reader = {"type": "sst_phrases", "min_tokens": 2}
    config = {"dataset_reader": reader, "validation_dataset_reader": None}
    assert with_fraction(config, 0.25, seed=3)["validation_dataset_reader"] == reader
    data = {**config, "validation_data_path": str(CONFIGS.parent / "fixtures" / "sst5" / "dev.txt")}
    instances = read_part(data, "validation")
    assert len(instances) == len(read_part({**data, "dataset_reader": reader}, "validation")) > 0


def test_with_steps_per_epoch_leaves_validation_alone(config: dict[str, Any]) -> None:
    loader = config["data_loader"]
    changed = with_steps_per_epoch(config, 7)
    assert changed["data_loader"] == {**loader, "batches_per_epoch": 7}
    assert changed["validation_data_loader"] == loader


def test_with_elmo_changes_all_embedders_and_nothing_else(config: dict[str, Any]) -> None:
    changed = difference(config, with_elmo(config, train_gamma=False, mix=0))
    names = {path.rpartition(".")[2]: value for path, value in changed.items()}
    assert names == {"train_gamma": False, "mix": 0} and len(changed) == 2


def test_with_schedule_counts_epochs_of_some_updates(config: dict[str, Any]) -> None:
    changed = difference(config, with_schedule(config, interval=4, patience=10, updates=42))
    assert changed[".data_loader.batches_per_epoch"] == 4
    assert changed[".trainer.num_epochs"] * 4 >= 42 > (changed[".trainer.num_epochs"] - 1) * 4
    assert changed[".trainer.patience"] * 4 >= 10 > (changed[".trainer.patience"] - 1) * 4
    assert not any("validation" in path and "batches_per_epoch" in path for path in changed)


def test_grid_has_each_dropout_with_each_rate() -> None:
    grid = "{ grid:: (import 'training_configs/lib/grid.libsonnet')([0.1, 0.3], [0.01, 0.02]) }"
    path = CONFIGS / "ner" / "elmo.jsonnet"
    found = [read_configuration(path, grid, i) for i in range(4)]
    rates = [one["trainer"]["optimizer"]["lr"] for one in found]
    dropouts = [one["model"]["encoder"]["encoders"][0]["input_dropout"] for one in found]
    assert list(zip(dropouts, rates)) == [(0.1, 0.01), (0.1, 0.02), (0.3, 0.01), (0.3, 0.02)]


def test_overrides_import_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.libsonnet").write_text("{ trainer+: { num_epochs: 3 } }")
    monkeypatch.chdir(tmp_path)
    path = CONFIGS / "ner" / "elmo.jsonnet"
    changed = difference(
        read_configuration(path), read_configuration(path, "import 'mine.libsonnet'")
    )
    assert changed == {".trainer.num_epochs": 3}


def test_errors_name_file_and_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"missing\.jsonnet: expected a configuration"):
        read_configuration(tmp_path / "missing.jsonnet")
    with pytest.raises(ConfigurationError, match=r"elmo\.jsonnet with the overrides \{ x: \}"):
        read_configuration(CONFIGS / "ner" / "elmo.jsonnet", "{ x: }")
    baseline = read_configuration(CONFIGS / "ner" / "baseline.jsonnet")
    with pytest.raises(ConfigurationError, match=r"expected an embedder of type elmo"):
        with_last_layer_only(baseline)
    with pytest.raises(
        ConfigurationError, match=r"trainer\.validation_metric: expected .* got '-loss'"
    ):
        validation_metric({"trainer": {}})


@pytest.mark.parametrize("key", ["model", "trainer", "data_loader", "train_data_path"])
@pytest.mark.parametrize("value", ["null", "3", "[]"])
def test_missing_keys_are_named(key: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"elmo\.jsonnet: {key}: expected an? .*, found "):
        read_configuration(CONFIGS / "ner" / "elmo.jsonnet", f"{{ {key}: {value} }}")


def test_environment_variables_are_those_of_allennlps_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA", "my/data")
    file = tmp_path / "config.jsonnet"
    changes = "{ train_data_path: std.extVar('DATA') + '/train.conll' }"
    file.write_text(f"(import '{CONFIGS}/ner/baseline.jsonnet') + {changes}")
    config = read_configuration(file)
    assert config == Params.from_file(file).as_dict()
    assert config["train_data_path"] == "my/data/train.conll"
