"""Files that may be given by URL."""

from pathlib import Path

import pytest
from allennlp.common import file_utils

from elmo_plugin.common.downloads import local_path
from tests.helpers.browser import serve


def test_home_directory_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert local_path("~/weights.hdf5") == str(tmp_path / "weights.hdf5")
    assert local_path("a/~/weights.hdf5") == "a/~/weights.hdf5"


def test_url_of_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_utils, "CACHE_DIRECTORY", str(tmp_path / "cache"))
    with serve(tmp_path) as address, pytest.raises(FileNotFoundError) as error:
        local_path(f"{address}missing.hdf5")
    assert str(error.value) == f"{address}missing.hdf5: expected a file, found none"
