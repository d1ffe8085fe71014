"""Files of biLMs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.helpers.random_bilm import SMALL

CONFIGS = {
    "clipped": SMALL,
    "free": replace(SMALL, cell_clip=None, projection_clip=None, residual=False),
    "tanh": replace(SMALL, activation="tanh", num_highways=0, num_layers=3, max_characters=20),
}


CELL = "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell"


def assert_untouched(old: dict[Path, bytes], directory: Path) -> None:
    assert {path: path.read_bytes() for path in directory.iterdir() if path.is_file()} == old
