"""Fingerprints change with the files that a configuration names."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from elmo_plugin.experiments.runner import fingerprints
from elmo_plugin.experiments.runner.fingerprints import fingerprint


def _of_data(path: str) -> str:
    return fingerprint({"model": {}, "train_data_path": path})


@pytest.mark.parametrize("name", ["~/a.txt", "{home}/?.txt", "{home}/data"])
def test_changed_data_have_another_fingerprint(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cover every form of path that AllenNLP and its readers accept."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "data").mkdir()
    for file in (tmp_path / "a.txt", tmp_path / "data" / "b.txt"):
        file.write_text("before")
    path = name.format(home=tmp_path)
    before = _of_data(path)
    assert _of_data(path) == before
    (tmp_path / "a.txt").write_text("afterwards")
    (tmp_path / "data" / "b.txt").write_text("afterwards")
    assert _of_data(path) != before


@pytest.mark.parametrize(
    "setting", [{"directory": "voc"}, {"files": ["voc/a.txt"]}, {"files": [["voc/a.txt"]]}]
)
def test_changed_files_of_a_setting_have_another_fingerprint(
    setting: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "voc").mkdir()
    found = set()
    for content in ("before", "afterwards", "before"):
        (tmp_path / "voc" / "a.txt").write_text(content)
        found.add(fingerprint({"model": {}, "vocabulary": setting}))
    assert len(found) == 2


def test_members_of_an_archive_have_fingerprints_of_their_own(tmp_path: Path) -> None:
    archive = tmp_path / "data.zip"

    def write(content: str) -> None:
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("a.txt", content)
            file.writestr("b.txt", content)

    write("before")
    before = {name: _of_data(f"{archive}!{name}.txt") for name in "ab"}
    assert before["a"] != before["b"]
    write("afterwards")
    assert all(_of_data(f"{archive}!{name}.txt") != before[name] for name in "ab")


def test_a_word_that_names_a_directory_is_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Do not hash the whole file system for the delimiter "/"."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    before = fingerprint({"model": {"delimiter": "x/"}})
    (tmp_path / "x" / "file").write_text("content")
    assert fingerprint({"model": {"delimiter": "x/"}}) == before


def test_built_in_bilm_by_null(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of_embedder(**files: object) -> str:
        return fingerprint({"model": {"elmo": {"type": "elmo", **files}}})

    before = of_embedder(), of_embedder(weight_file=None)
    (tmp_path / "weights.hdf5").write_bytes(b"other weights")
    monkeypatch.setattr(fingerprints, "BUILT_IN_FOLDER", tmp_path)
    assert of_embedder() != before[0]
    assert of_embedder(weight_file=None) != before[1]
