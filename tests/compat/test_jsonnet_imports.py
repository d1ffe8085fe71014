"""`import 'training_configs/...'` from any directory."""

import json
import os
from pathlib import Path

import pytest
from allennlp.common import Params

ROOT = Path(__file__).parents[2]
IMPORT = "import 'training_configs/ner/elmo.jsonnet'"


def from_file(path: Path) -> dict[str, object]:
    return Params.from_file(path).as_dict()


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_file_in_another_directory_imports_installed_configuration(tmp_path: Path) -> None:
    file = tmp_path / "configs" / "mine.jsonnet"
    file.parent.mkdir()
    file.write_text(f"({IMPORT}) {{ seed:: 7 }}")
    expected = from_file(ROOT / "training_configs" / "ner" / "elmo.jsonnet")
    seeds = dict.fromkeys(("random_seed", "numpy_seed", "pytorch_seed"), 7)
    assert from_file(file) == {**expected, **seeds}


def test_name_of_installed_configuration() -> None:
    expected = from_file(ROOT / "training_configs" / "ner" / "elmo.jsonnet")
    assert from_file(Path("training_configs/ner/elmo.jsonnet")) == expected


def test_overrides_import_installed_configuration(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonnet"
    file.write_text("{ model: {}, trainer: {} }")
    overrides = f"{{ model: ({IMPORT}).model }}"
    expected = from_file(ROOT / "training_configs" / "ner" / "elmo.jsonnet")["model"]
    assert Params.from_file(file, overrides)["model"].as_dict() == expected


def test_own_file_of_the_same_name_wins(tmp_path: Path) -> None:
    own = tmp_path / "training_configs" / "ner" / "elmo.jsonnet"
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps({"own": True}))
    file = tmp_path / "mine.jsonnet"
    file.write_text(IMPORT)
    assert from_file(file) == from_file(own.relative_to(tmp_path)) == {"own": True}


@pytest.mark.parametrize("name", ["training_configs/none.jsonnet", "none.jsonnet"])
def test_missing_file_is_named(tmp_path: Path, name: str) -> None:
    file = tmp_path / "mine.jsonnet"
    file.write_text(f"import '{name}'")
    with pytest.raises(Exception, match=f"{name}.*No such file|No such file.*{name}"):
        from_file(file)


def test_configuration_from_a_pipe() -> None:
    """Read what the shell passes as a pipe, as by `elmo train <(sed ... mine.jsonnet)`."""
    read, write = os.pipe()
    os.write(write, b"{ layers: 1 + 1 }")
    os.close(write)
    with os.fdopen(read):
        found = Params.from_file(f"/dev/fd/{read}", "{ size: 64 }")
    assert found.as_dict() == {"size": 64, "layers": 2}


def test_configuration_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonnet"
    file.write_bytes(b"{ a: '\xff' }")
    with pytest.raises(ValueError, match=r"mine\.jsonnet: expected UTF-8, found .*0xff"):
        from_file(file)
