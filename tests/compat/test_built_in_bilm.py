"""Archives that were trained with a built-in biLM of other sizes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.models.archival import load_archive
from allennlp.nn.util import read_state_dict

from tests.helpers.untrained import write_bilm, write_task

ROOT = Path(__file__).parents[2]
EMBEDDER = "model.text_field_embedder.token_embedders.elmo"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A biLM of 8 dimensions."""
    write_bilm(ROOT / "fixtures" / "lm" / "heldout.txt", tmp_path / "my-bilm")
    names = {"options_file": "options.json", "weight_file": "weights.hdf5"}
    return {key: str(tmp_path / "my-bilm" / name) for key, name in names.items()}


@pytest.fixture
def archive(tmp_path: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tagger that was trained with this biLM, whose configuration does not name its files."""
    import_plugins()
    monkeypatch.chdir(ROOT)
    paths = {"bilm": {"dim": 8, **files}}
    write_task("ner", "elmo", f"{{ paths+:: {json.dumps(paths)} }}", tmp_path / "run")

    def remove_files(config: Any) -> None:
        elmo = config["model"]["text_field_embedder"]["token_embedders"]["elmo"]
        for key in files:
            del elmo[key]

    edit(tmp_path / "run", remove_files)
    return tmp_path / "run"


def edit(archive: Path, change: Callable[[Any], None]) -> None:
    file = archive / "config.json"
    config = json.loads(file.read_text())
    change(config)
    file.write_text(json.dumps(config))


def test_the_error_says_that_the_biLM_is_another(archive: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_archive(archive)
    text = str(caught.value)
    assert text.startswith(f"{archive}: expected the built-in biLM of this version, with ")
    assert "found one with 8: pass the options_file and weight_file" in text


def test_the_files_can_be_passed(archive: Path, files: dict[str, str]) -> None:
    overrides = {f"{EMBEDDER}.{key}": file for key, file in files.items()}
    model = load_archive(archive, overrides=overrides).model
    loaded, stored = model.state_dict(), read_state_dict(archive / "best.th")
    assert all(loaded[name].equal(stored[name]) for name in stored)


def test_other_errors_are_kept(archive: Path) -> None:
    def name_no_model(config: Any) -> None:
        config["model"]["type"] = "no-model"

    edit(archive, name_no_model)
    (archive / "best.th").unlink()
    with pytest.raises(ConfigurationError, match="'no-model' is not a registered name"):
        load_archive(archive)
