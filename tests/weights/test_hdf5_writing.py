"""Types and checksums of written HDF5 files."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import elmo_plugin
from elmo_plugin.weights.hdf5 import open_hdf5
from elmo_plugin.weights.hdf5_writing import storable


@pytest.mark.parametrize(
    ("dtype", "value"),
    [(None, torch.nan), (None, -torch.inf), (torch.float16, 65520.0), (torch.float32, 1e39)],
)
def test_numbers_that_a_type_cannot_hold_raise(dtype: torch.dtype, value: float) -> None:
    values = {"fine": torch.ones(2), "bad": torch.tensor([1.0, value, -1.0]).double()}
    values["bad"][1] = value
    with pytest.raises(ValueError, match=r"^file: bad: expected numbers that float") as error:
        storable(values, dtype, "file")
    assert str(error.value).endswith(f"found {abs(value):g}")


def test_error_of_half_precision_is_as_documented(recwarn: pytest.WarningsRecorder) -> None:
    values = torch.logspace(-12, 4, 10_000) * torch.tensor([1.0, -1.0]).repeat(5000)
    stored = storable({"x": values}, torch.float16, "file")["x"]
    bound = torch.maximum(values.abs() * 2**-11, torch.tensor(2**-25))
    assert ((stored.double() - values.double()).abs() <= bound).all()
    assert not recwarn


def test_numbers_too_small_for_half_precision_warn(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"^file: x: 100% is lost in torch\.float16"):
        storable({"x": torch.full((3,), 1e-9)}, torch.float16, "file")


# Not the built-in weights: finished runs are found by that file's bytes, which are older.
@pytest.mark.parametrize("file", ["pretrained/softmax.hdf5"])
def test_the_built_in_softmax_has_checksums(file: str) -> None:
    with open_hdf5(Path(elmo_plugin.__file__).parent / file) as datasets:
        assert datasets and all(dataset.fletcher32 for dataset in datasets.values())
