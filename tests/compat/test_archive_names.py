"""Class names in the configuration of an archive, and in that of a training run."""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.evaluate import evaluate_from_archive
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import import_module_and_submodules
from allennlp.data import DatasetReader, TokenIndexer
from allennlp.models.archival import load_archive
from allennlp.modules import TextFieldEmbedder
from allennlp.training.metrics import Metric

from elmo_plugin.compat.safety.archive_names import names_of_archive
from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.models.bilm import BilmModel
from tests.helpers.small_archive import CONFIG, TEXT, write_training

READER = """
from pathlib import Path
from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader

Path(__file__).with_suffix(".ran").touch()

class Reader(BilmTextReader):
    pass
"""


class ReaderOfThisModule(BilmTextReader):
    pass


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_training(tmp_path_factory.mktemp("trained") / "run")


@pytest.fixture
def archive(trained: Path) -> Iterator[Path]:
    """The serialization directory of a training run, whose configuration a test may change."""
    yield trained
    (trained / "config.json").write_text(json.dumps(CONFIG))


def configure(archive: Path, place: str, value: Any) -> Path:
    """Change a value of the archive's configuration; `place` is a key as in overrides."""
    config: Any = deepcopy(CONFIG)
    *parents, key = place.split(".")
    parent = config
    for name in parents:
        parent = parent.setdefault(name, {})
    parent[key] = value
    (archive / "config.json").write_text(json.dumps(config))
    return archive


def calls(made: Path) -> list[dict[str, Any]]:
    command = f"touch {made}"
    return [
        {"type": "os.system", "command": command},
        {"type": "subprocess.getoutput", "cmd": command},
        {"type": "subprocess.Popen", "args": command, "shell": True},
        {"type": "os.path.exists", "path": str(made)},
        {"type": "subprocess.Popen.communicate", "args": command},
    ]


PLACES = ["model", "dataset_reader", "validation_dataset_reader", "vocabulary"]


@pytest.mark.parametrize("place", PLACES)
def test_loading_calls_no_function(archive: Path, tmp_path: Path, place: str) -> None:
    for call in calls(tmp_path / "made"):
        configure(archive, place, call)
        with pytest.raises(ConfigurationError, match="expected a registered") as caught:
            load_archive(archive)
        assert str(caught.value).startswith(f"{archive}: ") and call["type"] in str(caught.value)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("place", ["data_loader", "data_loader.batch_sampler", "evaluation"])
def test_evaluating_calls_no_function(archive: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "text.txt").write_text(TEXT)
    for call in calls(tmp_path / "made"):
        configure(archive, place, call)
        with pytest.raises(ConfigurationError, match="expected a registered") as caught:
            evaluate_from_archive(archive, str(tmp_path / "text.txt"))
        assert str(caught.value).startswith(f"{archive}: ") and call["type"] in str(caught.value)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("kind", [TokenIndexer, TextFieldEmbedder])
def test_building_parts_calls_no_function(tmp_path: Path, kind: Any) -> None:
    for call in calls(tmp_path / "made"):
        with names_of_archive("model.tar.gz"), pytest.raises(ConfigurationError):
            kind.from_params(Params(call))
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("kind", [BilmTextReader, ReaderOfThisModule])
def test_reader_named_by_its_path(archive: Path, kind: type) -> None:
    configure(archive, "dataset_reader.type", f"{kind.__module__}.{kind.__name__}")
    assert type(load_archive(archive).dataset_reader) is kind


def test_model_named_by_its_path(archive: Path) -> None:
    configure(archive, "model.type", f"{BilmModel.__module__}.{BilmModel.__name__}")
    assert type(load_archive(archive).model) is BilmModel


def test_class_of_another_base_is_refused(archive: Path) -> None:
    name = f"{BilmTextReader.__module__}.{BilmTextReader.__name__}"
    configure(archive, "model", {"type": name})
    with pytest.raises(ConfigurationError, match="expected a registered Model"):
        load_archive(archive)


def test_packages_are_imported_only_if_included(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "package_of_a_friend"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "readers.py").write_text(READER)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    configure(archive, "dataset_reader.type", "package_of_a_friend.readers.Reader")

    with pytest.raises(ConfigurationError, match="--include-package package_of_a_friend"):
        load_archive(archive)
    assert not (package / "readers.ran").exists()

    import_module_and_submodules("package_of_a_friend")
    assert type(load_archive(archive).dataset_reader).__name__ == "Reader"


def test_trainings_name_any_class() -> None:
    assert DatasetReader.resolve_class_name("collections.OrderedDict") == (OrderedDict, None)


@pytest.mark.parametrize("key, value", [("trust_remote_code", True), ("weights_only", False)])
def test_options_that_run_code_of_transformers_are_refused(
    archive: Path, key: str, value: bool
) -> None:
    configure(archive, f"model.encoder.transformer_kwargs.{key}", value)
    with pytest.raises(ConfigurationError, match=f"{key}: {json.dumps(value)}, which lets code"):
        load_archive(archive)


@pytest.mark.parametrize(
    "metric, argument", [("evalb", "evalb_directory_path"), ("srl_eval", "srl_eval_path")]
)
def test_archives_name_no_program_of_a_scorer(metric: str, argument: str, tmp_path: Path) -> None:
    from allennlp_models.structured_prediction.metrics import srl_eval_scorer  # noqa: F401

    rest = {"ignore_classes": ["V"]} if metric == "srl_eval" else {}
    own = {"type": metric, argument: f"{tmp_path}; touch {tmp_path}/made", **rest}
    with names_of_archive("model.tar.gz"):
        Metric.from_params(Params({"type": metric, **rest}))
        with pytest.raises(ConfigurationError, match=f"model.tar.gz: {argument}"):
            Metric.from_params(Params(deepcopy(own)))
    Metric.from_params(Params(own))
