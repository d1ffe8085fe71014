"""Short and the same every time; benchmarks/fuzz.py is for the long runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from allennlp.common.plugins import import_plugins
from fuzzing.material import make_material
from fuzzing.runner import limited_memory
from hypothesis import HealthCheck, Phase, settings

import_plugins()
settings.register_profile(
    "short",  # loaded by ../conftest.py
    max_examples=15,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],  # without making the example small, which takes long
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="session")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Undamaged files of every kind."""
    directory = tmp_path_factory.mktemp("material")
    make_material(directory)
    return directory


@pytest.fixture(autouse=True)
def memory() -> Iterator[None]:
    """Whoever asks for too much gets an error."""
    with limited_memory():
        yield
