"""Damage to the structure of HDF5 files."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy

Change = Callable[[random.Random, h5py.File, str], None]


def damage_hdf5(rng: random.Random, path: Path) -> None:
    """Change a random dataset of the file; may write `secret.bin` into its directory."""
    with h5py.File(path, "r+") as file:
        names: list[str] = []
        file.visititems(lambda n, item: names.append(n) if isinstance(item, h5py.Dataset) else None)
        rng.choice(CHANGES)(rng, file, rng.choice(names))


def _remove(rng: random.Random, file: h5py.File, name: str) -> None:
    del file[name]


def _rename(rng: random.Random, file: h5py.File, name: str) -> None:
    new = rng.choice((f"{name}x", "x", "ü", f"{name}/inner", b"\xff\xfe", b"\xed\xa0\x80"))
    data = file[name][...]
    del file[name]
    file[new] = data


def _add(rng: random.Random, file: h5py.File, name: str) -> None:
    new = rng.choice(("x", f"{name}_2", "é" * 50, b"\xff", b"a\x80b"))
    kind = rng.choice(("small", "huge", "group", "text"))
    if kind == "huge":
        file.create_dataset(new, (10**12,), "float32", chunks=(1000,))
    elif kind == "group":
        file.create_group(new)
    else:
        file[new] = 1.0 if kind == "small" else "text"


def _reshape(rng: random.Random, file: h5py.File, name: str) -> None:
    data = file[name][...]
    del file[name]
    shapes = [data[None], data[..., None], data.ravel()[:0], data.ravel()[0], data[:-1]]
    if data.ndim > 1 and data.shape[0] != data.shape[1]:
        shapes += [data.T, data.reshape(-1)]
    file[name] = rng.choice(shapes)


def _retype(rng: random.Random, file: h5py.File, name: str) -> None:
    data = file[name][...]
    del file[name]
    kind = rng.choice(("empty", "text", "complex", "opaque", "bool", "object", "struct", "vlen"))
    if kind == "empty":
        file[name] = h5py.Empty("float32")
    elif kind == "text":
        file[name] = numpy.full(data.shape, b"1.0")
    elif kind == "complex":
        file[name] = numpy.full(data.shape, 1j)
    elif kind == "opaque":
        file[name] = numpy.full(data.shape, b"abcd", "V4")
    elif kind == "bool":
        file[name] = numpy.ones(data.shape, bool)
    elif kind == "object":
        file.create_dataset(name, data.shape, h5py.string_dtype())
    elif kind == "struct":
        file[name] = numpy.zeros(data.shape, [("a", "f4"), ("b", "i4")])
    else:
        file.create_dataset(name, data.shape, h5py.vlen_dtype("float32"))


def _huge(rng: random.Random, file: h5py.File, name: str) -> None:
    shape = (rng.choice((10**9, 10**12, 2**62)), *file[name].shape[1:])
    dtype = file[name].dtype
    del file[name]
    file.create_dataset(name, shape, dtype, chunks=tuple(min(n, 100) for n in shape))


def _never_written(rng: random.Random, file: h5py.File, name: str) -> None:
    shape, dtype = file[name].shape, file[name].dtype
    del file[name]
    how = rng.choice(({}, {"chunks": True}, {"fillvalue": 0.5}, {"compression": "gzip"}))
    file.create_dataset(name, shape, dtype if dtype.kind not in "OS" else "f4", **how)


def _half_written(rng: random.Random, file: h5py.File, name: str) -> None:
    data = file[name][...]
    if data.ndim == 0 or data.dtype.kind in "OS" or len(data) < 2:
        return _never_written(rng, file, name)
    del file[name]
    chunks = (1, *data.shape[1:])
    file.create_dataset(name, data.shape, data.dtype, chunks=chunks)[:-1] = data[:-1]
    return None


def _virtual(rng: random.Random, file: h5py.File, name: str) -> None:
    shape, dtype = file[name].shape, file[name].dtype
    source = rng.choice(("missing.hdf5", "."))
    layout = h5py.VirtualLayout(shape, dtype if dtype.kind not in "OS" else "f4")
    layout[...] = h5py.VirtualSource(source, f"{name}_missing", shape)
    del file[name]
    file.create_virtual_dataset(name, layout)


def _external_storage(rng: random.Random, file: h5py.File, name: str) -> None:
    shape, dtype = file[name].shape, file[name].dtype
    secret = Path(file.filename).with_name("secret.bin")
    secret.write_bytes(bytes(range(1, 65)) * 4096)
    del file[name]
    external = [(str(secret), 0, h5py.h5f.UNLIMITED)]
    file.create_dataset(name, shape, dtype if dtype.kind not in "OS" else "f4", external=external)


def _link(rng: random.Random, file: h5py.File, name: str) -> None:
    del file[name]
    file[name] = rng.choice(
        (
            h5py.SoftLink("/nowhere"),
            h5py.SoftLink(f"/{name}"),
            h5py.ExternalLink("missing.hdf5", "/x"),
            h5py.ExternalLink("/dev/zero", "/x"),
            h5py.ExternalLink(file.filename, f"/{name}"),
        )
    )


def _group(rng: random.Random, file: h5py.File, name: str) -> None:
    del file[name]
    group = file.create_group(name)
    if rng.random() < 0.5:
        group["loop"] = file["/"]  # a hard link


def _not_finite(rng: random.Random, file: h5py.File, name: str) -> None:
    data = file[name][...]
    if data.dtype.kind != "f" or not data.size:
        return _retype(rng, file, name)
    index = rng.randrange(data.size)
    data.reshape(-1)[index] = rng.choice((numpy.nan, numpy.inf, -numpy.inf))
    file[name][...] = data
    return None


def _wider(rng: random.Random, file: h5py.File, name: str) -> None:
    """Store the same numbers in another type or with a filter."""
    data = file[name][...]
    if data.dtype.kind not in "fiu":
        return
    del file[name]
    how = rng.choice(({"dtype": "f8"}, {"dtype": ">f8"}, {"dtype": "g"}, {"compression": "gzip"}))
    if not data.ndim:
        how = {"dtype": "f8"}
    if data.dtype.kind in "iu" and "dtype" in how:
        how = {"dtype": ">i8"}
    file.create_dataset(name, data=data.astype(how.pop("dtype", data.dtype)), **how)


def _attributes(rng: random.Random, file: h5py.File, name: str) -> None:
    owner = rng.choice((file, file[name]))
    for key in list(owner.attrs):
        del owner.attrs[key]
    key = rng.choice(("x", "max_characters", b"\xff"))
    owner.attrs[key] = rng.choice((-1, 0, 2**40, 1.5, "x", [1, 2], numpy.nan))


CHANGES: tuple[Change, ...] = (
    *(_remove, _rename, _add, _reshape, _retype, _retype, _huge, _never_written, _half_written),
    *(_virtual, _external_storage, _link, _group, _not_finite, _wider, _attributes),
)
