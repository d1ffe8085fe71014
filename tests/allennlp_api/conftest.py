from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.random_bilm import Files, random_bilm, save


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return save(random_bilm(), Path(tmp_path_factory.mktemp("bilm")))
