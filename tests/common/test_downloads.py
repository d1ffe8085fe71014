"""Files that may be given by URL."""

from pathlib import Path

import pytest

from elmo_plugin.common.downloads import local_path


def test_home_directory_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert local_path("~/weights.hdf5") == str(tmp_path / "weights.hdf5")
    assert local_path("a/~/weights.hdf5") == "a/~/weights.hdf5"
