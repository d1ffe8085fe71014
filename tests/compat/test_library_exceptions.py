"""Programs that call AllenNLP get its own exceptions; commands get errors that name the cause."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.train import train_model
from allennlp.common import FromParams, Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.common.util import prepare_environment
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor

from elmo_plugin.compat.command import is_command_running, running_command
from tests.helpers.small_archive import CONFIG, write_training

import_plugins()

TAGGER = Path(__file__).parents[2] / "fixtures" / "compat" / "tagger.jsonnet"


def read_configuration(folder: Path) -> Any:
    (folder / "config.jsonnet").write_text("{ a: ")
    return Params.from_file(folder / "config.jsonnet")


def read_overrides(folder: Path) -> Any:
    (folder / "config.jsonnet").write_text("{}")
    return Params.from_file(folder / "config.jsonnet", {"a.b": 1})


def read_data(folder: Path) -> Any:
    (folder / "data.txt").write_text("a B\n\n")
    return list(DatasetReader.by_name("conll2003")().read(folder / "data.txt"))


def read_empty_data(folder: Path) -> Any:
    (folder / "data.txt").write_text("")
    return list(DatasetReader.by_name("conll2003")().read(folder / "data.txt"))


def read_vocabulary(folder: Path) -> Any:
    (folder / "words.txt").write_bytes("Åse".encode("latin-1"))
    (folder / "non_padded_namespaces.txt").touch()
    return Vocabulary.from_files(folder)


def set_seed(folder: Path) -> Any:
    return prepare_environment(Params({"numpy_seed": -1}))


def train(folder: Path) -> Any:
    overrides = json.dumps({"trainer.optimizer": {"type": "adam", "lr": -1}})
    params = Params.from_file(TAGGER, overrides, {"FIXTURES": str(TAGGER.parent)})
    return train_model(params, str(folder / "run"))


def load_other_model(folder: Path) -> Any:
    larger = {**CONFIG, "model": {**CONFIG["model"], "cell_dim": 16}}
    write_training(folder / "run")
    (folder / "run" / "config.json").write_text(json.dumps(larger))
    return load_archive(folder / "run")


CASES: dict[str, tuple[Callable[[Path], Any], type[Exception] | None, str]] = {
    "broken configuration": (read_configuration, RuntimeError, "config.jsonnet"),
    "unused overrides": (read_overrides, ValueError, "unused keys"),
    "data in another format": (read_data, ValueError, "data.txt, lines 1 to 2: "),
    "empty data": (read_empty_data, None, "data.txt: "),
    "vocabulary that is not UTF-8": (read_vocabulary, UnicodeDecodeError, "words.txt: "),
    "invalid seed": (set_seed, ValueError, "numpy_seed: "),
    "invalid learning rate": (train, ValueError, "trainer.optimizer: "),
    "weights of another size": (load_other_model, RuntimeError, "run: .*size mismatch"),
}


@pytest.mark.parametrize(("run", "theirs", "named"), CASES.values(), ids=CASES)
def test_errors(
    run: Callable[[Path], Any], theirs: type[Exception] | None, named: str, tmp_path: Path
) -> None:
    (tmp_path / "program").mkdir()
    if theirs is None:
        assert run(tmp_path / "program") == []
    else:
        with pytest.raises(theirs) as raised:
            run(tmp_path / "program")
        # This package's errors are of both classes.
        assert not isinstance(raised.value, ConfigurationError)
    (tmp_path / "command").mkdir()
    with running_command(), pytest.raises(ConfigurationError, match=named):
        run(tmp_path / "command")


def test_commands_end_with_their_errors() -> None:
    with pytest.raises(ValueError, match="x"), running_command():
        assert is_command_running()
        raise ValueError("x")
    assert not is_command_running()


def test_models_of_allennlp_keep_their_predictors() -> None:
    from allennlp_models.structured_prediction.models.srl import SemanticRoleLabeler
    from allennlp_models.tagging.models.crf_tagger import CrfTagger

    for model, module in ((SemanticRoleLabeler, "allennlp_models"), (CrfTagger, "allennlp.")):
        predictor = Predictor.by_name(model.default_predictor)
        assert predictor.__module__.startswith(module)


class UserClass(FromParams):
    """A class of a user that takes null for any parameter."""

    def __init__(self, size: int = 3, name: str = "x") -> None:
        self.values = size, name


def test_null_where_a_class_may_take_it() -> None:
    with running_command():
        found = UserClass.from_params(Params({"size": None, "name": None}))
        assert found.values == (None, None)
        # Documented as optional, in spite of its type.
        assert DatasetReader.from_params(Params({"type": "conll2000", "tag_label": None}))
        with pytest.raises(ConfigurationError, match="expected int, got null"):
            DatasetReader.from_params(Params({"type": "coref", "max_span_width": None}))
