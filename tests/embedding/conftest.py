"""Fixtures of corpora."""

from __future__ import annotations

import pytest

from tests.helpers.embedding import small_blocks
from tests.helpers.random_bilm import random_bilm, save

__all__ = ["bilm_folder", "small_blocks"]


@pytest.fixture(scope="module")
def bilm_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("bilm")
    save(random_bilm(), folder)
    return str(folder)
