"""Files of vectors that are damaged, or that another program wrote."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy
import pytest

from elmo_plugin import open_vectors
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.vectors import Vectors
from tests.helpers.embedding import embed

TEXT = [["The", "bank"], [], ["is", "closed", "."]]


def _read(file: Path) -> list[tuple[numpy.ndarray, list[str]]]:
    with open_vectors(file) as vectors:
        return [(vectors[line], vectors.tokens(line)) for line in range(len(vectors))]


@pytest.mark.parametrize("form", ["packed", "allennlp", "parquet"])
@pytest.mark.parametrize("seed", range(20))
def test_flipped_bits_never_change_what_is_read(
    form: str, seed: int, bilm_folder: str, tmp_path: Path
) -> None:
    file = embed(tmp_path / "out", BlockEncoder(bilm_folder), form, text=TEXT)
    expected = _read(file)
    content = bytearray(file.read_bytes())
    rng = random.Random(seed)
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    file.write_bytes(content)
    try:
        found = _read(file)
    except ValueError as error:
        assert str(error).startswith(f"{file}: ")
        return
    for one, other in zip(found, expected, strict=True):
        numpy.testing.assert_array_equal(one[0], other[0])
        assert one[1] == other[1]


def _is_open(file: Path) -> bool:
    """Return True if this process has a file open, or in its memory map."""
    descriptors = Path("/proc/self/fd").iterdir()
    opened = [os.path.realpath(descriptor) for descriptor in descriptors]
    return str(file) in opened or str(file) in Path("/proc/self/maps").read_text()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="expected Linux")
@pytest.mark.parametrize("form", ["packed", "allennlp", "npy"])
def test_close_closes_the_file(form: str, bilm_folder: str, tmp_path: Path) -> None:
    encoder = BlockEncoder(bilm_folder, pooling="mean" if form == "npy" else None)
    file = embed(tmp_path / "out", encoder, form, text=TEXT)
    with open_vectors(file) as vectors:
        vectors[0]
        assert _is_open(file)
    assert not _is_open(file)


@pytest.mark.parametrize("form", ["packed", "allennlp", "npy", "parquet"])
def test_reading_from_a_closed_file_says_so(form: str, bilm_folder: str, tmp_path: Path) -> None:
    encoder = BlockEncoder(bilm_folder, pooling="mean" if form == "npy" else None)
    vectors = open_vectors(embed(tmp_path / "out", encoder, form, text=TEXT))
    begun = iter(vectors)
    next(begun)
    vectors.close()
    vectors.close()
    reads: list[Callable[[Vectors], object]] = [
        lambda vectors: vectors[0],
        lambda vectors: vectors[0:2],
        list,
        lambda vectors: vectors.tokens(0),
        lambda vectors: next(begun),
    ]
    for read in reads:
        with pytest.raises(ValueError, match="out: expected an open file of vectors, found it cl"):
            read(vectors)
    assert len(vectors) == len(TEXT)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="expected Linux")
@pytest.mark.parametrize("form", ["packed", "allennlp"])
def test_a_file_that_is_refused_is_closed(form: str, bilm_folder: str, tmp_path: Path) -> None:
    file = embed(tmp_path / "out", BlockEncoder(bilm_folder), form, text=TEXT)
    with h5py.File(file, "r+") as content:
        content.move("checksums" if form == "packed" else "1", "other")
    with pytest.raises(ValueError, match="expected") as error:
        open_vectors(file)
    assert not _is_open(file), error  # its traceback would keep the file open


def _replace(name: str, value: object) -> Callable[[h5py.File], None]:
    def replace(file: h5py.File) -> None:
        del file[name]
        file[name] = value

    return replace


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("0", numpy.full((3, 2, 4), numpy.nan, "float32"), "expected finite vectors of line 0"),
        ("0", numpy.full((3, 2), b"text"), r"0: expected floating-point numbers .* found \|S4"),
        ("0", h5py.Empty("float32"), "0: expected floating-point numbers"),
        ("sentence_to_index", [b"[1]"], r"expected a JSON object, found .* of \[1\]"),
        ("sentence_to_index", [], "expected a JSON object"),
        ("sentence_to_index", [b'{"The bank": "1"}'], "expected the tokens of line 0"),
    ],
)
def test_other_values_in_allennlps_layout_raise(
    name: str, value: object, message: str, bilm_folder: str, tmp_path: Path
) -> None:
    file = embed(tmp_path / "out", BlockEncoder(bilm_folder), "allennlp", text=TEXT)
    with h5py.File(file, "r+") as hdf5:
        _replace(name, value)(hdf5)
    with pytest.raises(ValueError, match=f"^{file}: .*{message}"):
        _read(file)


@pytest.mark.parametrize(
    "name, message",
    [
        ("ends", "of one length, found 3, 2 and 3"),
        ("checksums", "of one length, found 3, 3 and 2"),
        ("tokens", "expected 3 lines, found 2"),
        ("layers", "ends: expected ascending numbers up to 4"),
    ],
)
def test_missing_values_in_a_packed_file_raise(
    name: str, message: str, bilm_folder: str, tmp_path: Path
) -> None:
    file = embed(tmp_path / "out", BlockEncoder(bilm_folder), "packed", text=TEXT)
    with h5py.File(file, "r+") as hdf5:
        _replace(name, hdf5[name][:-1])(hdf5)
    with pytest.raises(ValueError, match=f"^{file}: .*{message}"):
        _read(file)


def test_tokens_of_another_sentence_raise(bilm_folder: str, tmp_path: Path) -> None:
    file = embed(tmp_path / "out", BlockEncoder(bilm_folder), "packed", text=TEXT)
    with h5py.File(file, "r+") as hdf5:
        text = numpy.frombuffer(b'["The"]\n[]\n["is", "closed", "."]\n', numpy.uint8)
        _replace("tokens", text)(hdf5)
    with pytest.raises(ValueError, match=rf"^{file}: expected 2 tokens of line 0, found \['The'\]"):
        _read(file)


class TestNumpy:
    @pytest.fixture
    def file(self, bilm_folder: str, tmp_path: Path) -> Path:
        encoder = BlockEncoder(bilm_folder, pooling="mean")
        return embed(tmp_path / "out.npy", encoder, "npy", text=TEXT)

    def test_numbers_that_are_not_finite_raise(self, file: Path) -> None:
        array = numpy.load(file)
        array[2, 0] = numpy.inf
        numpy.save(file, array)
        with open_vectors(file) as vectors:
            assert numpy.isfinite(vectors[0]).all()
            with pytest.raises(ValueError, match=f"^{file}: expected finite vectors of line 2"):
                vectors[2]

    @pytest.mark.parametrize("change", [lambda b: b + b"\0", lambda b: b[:-1]])
    def test_another_size_raises(self, change: Callable[[bytes], bytes], file: Path) -> None:
        file.write_bytes(change(file.read_bytes()))
        with pytest.raises(ValueError, match=f"^{file}: expected "):
            open_vectors(file)

    def test_damaged_header_raises(self, file: Path) -> None:
        file.write_bytes(file.read_bytes().replace(b"}", b"(", 1))
        with pytest.raises(ValueError, match=f"^{file}: expected a NumPy file, found: "):
            open_vectors(file)
