"""Reading HDF5 files; other content than plain arrays raises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy
import pytest
import torch

from elmo_plugin.weights.hdf5 import read_hdf5
from elmo_plugin.weights.hdf5_writing import CHECKSUMMED, write_hdf5

VALUES = {"a/x": torch.arange(1.0, 7.0).view(3, 2), "b": torch.ones(4)}


SHAPES = {name: tuple(values.shape) for name, values in VALUES.items()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_hdf5(VALUES, tmp_path / "file.hdf5")
    (tmp_path / "secret").write_bytes(bytes(range(1, 100)))
    return tmp_path / "file.hdf5"


def read(path: Path) -> dict[str, torch.Tensor]:
    return read_hdf5(path, SHAPES, "does not fit")


def test_round_trip_is_exact(path: Path) -> None:
    found = read(path)
    assert found.keys() == VALUES.keys()
    assert all(torch.equal(found[name], values) for name, values in VALUES.items())


@pytest.mark.parametrize("options", [{}, CHECKSUMMED, {"libver": "latest"}], ids=str)
def test_files_of_other_programs(options: dict[str, object], path: Path) -> None:
    """Contiguous or in chunks, with or without checksums, in any byte order."""
    with h5py.File(path, "w", **options) as file:
        file.create_dataset("a/x", data=VALUES["a/x"], chunks=(2, 1), dtype=">f8")
        file["b"] = VALUES["b"].half()
        file["b"].attrs["note"] = "text"
        file.create_group("empty")
    assert all(torch.equal(found, VALUES[name]) for name, found in read(path).items())


def test_every_dataset_has_a_checksum(tmp_path: Path) -> None:
    """For any size, and without much overhead."""
    values = {"big": torch.rand(1025, 513), "thin": torch.rand(1, 2**19), "b": torch.rand(3)}
    write_hdf5(values, tmp_path / "file")
    with h5py.File(tmp_path / "file") as file:
        assert all(file[name].fletcher32 for name in values)
    size = sum(v.nbytes for v in values.values())
    assert size < (tmp_path / "file").stat().st_size < 1.01 * size + 4096


Change = Callable[[h5py.Group], object]


def _create(shape: tuple[int, ...] = (3, 2), dtype: str = "f4", **how: object) -> Change:
    return lambda group: group.create_dataset("x", shape, dtype, **how)


def _partly(group: h5py.Group) -> None:
    # So much padding that the parts take more room than the whole has values.
    dataset = group.create_dataset("x", (3, 2), "f4", chunks=(2, 2))
    dataset[:2] = 1


def _virtual(source: str) -> Change:
    def change(group: h5py.Group) -> None:
        layout = h5py.VirtualLayout((3, 2), "f4")
        layout[:] = h5py.VirtualSource(source, "y", (3, 2))
        group.create_virtual_dataset("x", layout)

    return change


def _external_storage(group: h5py.Group) -> None:
    secret = str(Path(group.file.filename).with_name("secret"))
    group.create_dataset("x", (3, 2), "f4", external=[(secret, 0, 24)])


def _put(value: object) -> Change:
    def change(group: h5py.Group) -> None:
        group["x"] = value

    return change


def _hard_link(group: h5py.Group) -> None:
    group["x"] = numpy.ones((3, 2), "f4")
    group["y"] = group["x"]


def _cycle(group: h5py.Group) -> None:
    group["x"] = group.file["/"]


def _lists(group: h5py.Group) -> None:
    dataset = group.create_dataset("x", (3, 2), h5py.vlen_dtype("f4"))
    for row in range(3):
        dataset[row] = [[1.0], [2.0, 3.0]]


def _not_ieee(group: h5py.Group) -> None:
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_ebias(kind.get_ebias() + 1)
    space = h5py.h5s.create_simple((3, 2))
    dataset = h5py.h5d.create(group.id, b"x", kind, space)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.ones((3, 2), "f4"))


NEVER, ELSEWHERE = "x: expected all of its values", "x: expected data in this file"


BAD: dict[str, tuple[Change, str]] = {
    "never written": (_create(), NEVER),
    "never written, in chunks": (_create(chunks=(1, 2)), NEVER),
    "never written, filled": (_create(fillvalue=0.5), NEVER),
    "partly written": (_partly, NEVER),
    "huge": (_create((10**12,)), NEVER),
    "huge chunks": (_create((10**12,), chunks=(2**20,)), NEVER),
    "beyond all": (_create((2**62, 2**62)), "a/x: expected"),
    "virtual": (_virtual("none.hdf5"), ELSEWHERE),
    "virtual, of this file": (_virtual("."), ELSEWHERE),
    "external storage": (_external_storage, ELSEWHERE),
    "soft link": (_put(h5py.SoftLink("/b")), ELSEWHERE),
    "external link": (_put(h5py.ExternalLink("secret", "/b")), ELSEWHERE),
    "two names": (_hard_link, "expected another object than a/"),
    "cycle": (_cycle, "a/x: expected another object than /"),
    "compressed": (
        _create(data=numpy.zeros((3, 2)), compression="gzip"),
        "x: expected unfiltered",
    ),
    "plugin": (
        _create(compression=32015, allow_unknown_filter=True, chunks=(3, 2)),
        "x: expected unfiltered data, found filters [32015]",
    ),
    "structure": (_create(data=numpy.zeros((3, 2), "f4,i4"), dtype="f4,i4"), "found [('f0'"),
    "reference": (_put(numpy.full((3, 2), h5py.Reference())), "found object"),
    "lists": (_lists, "found object"),
    "another float": (_not_ieee, "x: expected floating-point numbers, found float"),
    "extended float": (_create(data=numpy.ones((3, 2)), dtype="g"), "found float128"),
    "integers": (_create(data=numpy.ones((3, 2)), dtype="i4"), "found int32"),
    "other bytes": (lambda g: g.create_dataset(b"\xff\n", data=1.0), r"unexpected a/\xff\n of"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_other_than_plain_arrays_raise(change: Change, message: str, path: Path) -> None:
    with h5py.File(path, "r+") as file:
        del file["a/x"]
        change(file["a"])
    with pytest.raises(ValueError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)


def test_any_depth_of_groups(path: Path) -> None:
    with h5py.File(path, "r+") as file:
        group = file
        for _ in range(3000):
            group = group.create_group("g")
        group["x"] = 1.0
    with pytest.raises(ValueError, match=r"unexpected g/g/g.*/x of shape \(\)"):
        read(path)


def test_at_most_20_problems_are_listed(path: Path) -> None:
    with h5py.File(path, "r+") as file:
        for number in range(3000):
            file[f"{number}"] = 1.0
    with pytest.raises(ValueError, match=r"\n  \.\.\. and 2,980 more$") as error:
        read(path)
    assert len(str(error.value).splitlines()) == 22
