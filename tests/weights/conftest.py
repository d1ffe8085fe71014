"""Fixtures of biLMs' files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.random_bilm import SENTENCES, Files, random_bilm, save
from tests.helpers.stored_sentences import written


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return save(random_bilm(), tmp_path)


@pytest.fixture
def old(files: Files) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("layers") / "layers.hdf5", SENTENCES)
