"""Files of biLMs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import h5py

from tests.helpers.random_bilm import SMALL, Files

CONFIGS = {
    "clipped": SMALL,
    "free": replace(SMALL, cell_clip=None, projection_clip=None, residual=False),
    "tanh": replace(SMALL, activation="tanh", num_highways=0, num_layers=3, max_characters=20),
}

SAME_SIZES = replace(SMALL, projection_dim=28, cell_dim=28, projection_clip=1.0)
"""The token vectors and the memory cells have the size of the convolutions."""

CELL = "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell"


def remove_projections(files: Files) -> None:
    """Leave out what bilm-tf leaves out if the sizes are the same."""
    with h5py.File(files.weights, "r+") as file:
        del file["CNN_proj"]
        for direction in ("RNN_0", "RNN_1"):
            for cell in file[f"{direction}/RNN/MultiRNNCell"].values():
                del cell["LSTMCell/W_P_0"]


def assert_untouched(old: dict[Path, bytes], directory: Path) -> None:
    assert {path: path.read_bytes() for path in directory.iterdir() if path.is_file()} == old
