"""Each format holds the vectors of line i in row i."""

from __future__ import annotations

import json
import math
import os
import pickle
from pathlib import Path
from typing import Any

import h5py
import numpy
import pyarrow
import pytest
from pyarrow import parquet

from elmo_plugin import Embedder, open_vectors
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.choices import Format
from elmo_plugin.embedding.formats import FORMATS, output_format
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.weights.stored_activations import StoredActivations
from tests.helpers.embedding import TEXT, embed

pytestmark = pytest.mark.usefixtures("small_blocks")

ROOT = Path(__file__).parents[2]

OF_TOKENS: list[Format] = ["packed", "allennlp", "parquet", "parquet-directory"]
OF_SENTENCES: list[Format] = ["npy", "allennlp", "parquet", "parquet-directory"]


def _assert_near(found: numpy.ndarray, expected: numpy.ndarray) -> None:
    numpy.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("layers", ["all", "average", "last", 0])
@pytest.mark.parametrize("form", OF_TOKENS)
def test_vectors_of_tokens(form: Format, layers: Any, bilm_folder: str, tmp_path: Path) -> None:
    out = embed(tmp_path / "out", BlockEncoder(bilm_folder, layers), form)
    expected = Embedder(bilm_folder).encode(TEXT, layers)
    with open_vectors(out) as vectors:
        assert len(vectors) == len(TEXT)
        for found, same in zip(vectors, expected, strict=True):
            _assert_near(found, same)
        for row, found in zip((-1, 3, -len(TEXT)), (vectors[-1], vectors[3], vectors[-len(TEXT)])):
            _assert_near(found, expected[row])
        for found, same in zip(vectors[2:9:3], expected[2:9:3], strict=True):
            _assert_near(found, same)
        vectors[0][:] = 0  # its caller's own
        _assert_near(vectors[0], expected[0])
        with pytest.raises(
            IndexError, match=f"expected a line from -{len(TEXT)} to {len(TEXT) - 1}, got 99"
        ):
            vectors[99]


@pytest.mark.parametrize("layers", ["all", "average"])
@pytest.mark.parametrize("form", OF_SENTENCES)
def test_vectors_of_sentences(form: Format, layers: Any, bilm_folder: str, tmp_path: Path) -> None:
    encoder = BlockEncoder(bilm_folder, layers, "mean")
    out = embed(tmp_path / "out", encoder, form)
    expected = Embedder(bilm_folder).encode(TEXT, layers, "mean")
    with open_vectors(out) as vectors:
        _assert_near(numpy.stack(list(vectors)), expected)


def test_tokens_with_white_space_do_not_fit_allennlps_layout(
    bilm_folder: str, tmp_path: Path
) -> None:
    text = [["The", "bank"], ["New York", "is", "big"]]
    with pytest.raises(ValueError, match=r"sentence 2: expected tokens without .*found 'New York'"):
        embed(tmp_path / "out", BlockEncoder(bilm_folder), "allennlp", text=text)
    with open_vectors(embed(tmp_path / "other", BlockEncoder(bilm_folder), text=text)) as vectors:
        assert vectors.tokens(1) == text[1]


@pytest.mark.parametrize("form", ["packed", "parquet", "parquet-directory"])
def test_tokens_are_the_texts(form: Format, bilm_folder: str, tmp_path: Path) -> None:
    with open_vectors(embed(tmp_path / "out", BlockEncoder(bilm_folder), form)) as vectors:
        assert [vectors.tokens(row) for row in range(-len(TEXT), len(TEXT))] == [*TEXT, *TEXT]
        with pytest.raises(
            IndexError, match=f"expected a line from -{len(TEXT)} to {len(TEXT) - 1}, got 99"
        ):
            vectors.tokens(99)


@pytest.mark.parametrize("form", [*OF_TOKENS, "npy"])
def test_half_precision_rounds(form: Format, bilm_folder: str, tmp_path: Path) -> None:
    pooling = "max" if form == "npy" else None
    exact = BlockEncoder(bilm_folder, "average", pooling)
    half = BlockEncoder(bilm_folder, "average", pooling, "float16")
    with (
        open_vectors(embed(tmp_path / "exact", exact, form)) as exact_vectors,
        open_vectors(embed(tmp_path / "half", half, form)) as half_vectors,
    ):
        for found, expected in zip(half_vectors, exact_vectors, strict=True):
            assert found.dtype == numpy.float16
            numpy.testing.assert_array_equal(found, expected.astype(numpy.float16))


def test_packed_file_serves_the_embedder(bilm_folder: str, tmp_path: Path) -> None:
    out = embed(tmp_path / "out", BlockEncoder(bilm_folder))
    rows = [sentence for sentence in TEXT if sentence][:4]
    found = StoredActivations(out)(batch_to_ids(rows)).layers
    expected = Embedder(bilm_folder).bilm(batch_to_ids(rows)).layers
    _assert_near(found.numpy(), expected.numpy())


def test_numbered_file_is_that_of_allennlps_command(bilm_folder: str, tmp_path: Path) -> None:
    """The snippet is that of AllenNLP 0.9's documentation of its command `elmo`."""
    filename = embed(tmp_path / "elmo_layers.hdf5", BlockEncoder(bilm_folder), "allennlp")
    expected = Embedder(bilm_folder).encode(TEXT, "all")
    h5py_file = h5py.File(filename, "r")
    embedding = h5py_file.get("0")
    assert embedding.shape == (3, len(TEXT[0]), 16)
    _assert_near(embedding[2], expected[0][:, 2])
    sentence_to_index = json.loads(h5py_file.get("sentence_to_index")[0])
    assert sentence_to_index == {" ".join(s): str(i) for i, s in enumerate(TEXT)}
    assert set(h5py_file) == {*map(str, range(len(TEXT))), "sentence_to_index"}


def test_other_programs_read_parquet(bilm_folder: str, tmp_path: Path) -> None:
    out = embed(tmp_path / "out.parquet", BlockEncoder(bilm_folder, "average"), "parquet")
    rows = parquet.read_table(out).to_pylist()
    assert [row["line"] for row in rows] == list(range(len(TEXT)))
    assert [row["tokens"] for row in rows] == TEXT
    for row, expected in zip(rows, Embedder(bilm_folder).encode(TEXT), strict=True):
        _assert_near(numpy.array(row["vectors"]).reshape(expected.shape), expected)


@pytest.mark.parametrize("form", ["parquet", "parquet-directory"])
def test_parquet_holds_no_lone_surrogates(
    form: Format, bilm_folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dataset readers of JSON may return them."""
    with pytest.raises(ValueError, match=r"Unicode text.*found a lone surrogate in 'b\\ud83d'"):
        embed(tmp_path / "out", BlockEncoder(bilm_folder), form, [["a", "b\ud83d"]])
    file = embed(tmp_path / "packed", BlockEncoder(bilm_folder), "packed", [["a", "b\ud83d"]])
    with open_vectors(file) as vectors:
        assert vectors.tokens(0) == ["a", "b\ud83d"]


class TestParquetDirectory:
    @pytest.fixture
    def out(self, bilm_folder: str, tmp_path: Path) -> Path:
        return embed(tmp_path / "out", BlockEncoder(bilm_folder, "last"), "parquet-directory")

    def test_other_programs_read_it(self, out: Path) -> None:
        assert parquet.read_table(out)["tokens"].to_pylist() == TEXT

    @pytest.mark.parametrize("number", [0, 1, -1])
    def test_missing_file_raises(self, out: Path, number: int) -> None:
        file = sorted(out.glob("*.parquet"))[number]
        file.unlink()
        with pytest.raises(ValueError, match=f"expected all files .* found none at {file}"):
            open_vectors(out)

    def test_incomplete_copy_raises(self, out: Path) -> None:
        (out / "_metadata").unlink()
        with pytest.raises(ValueError, match=f"^{out}: expected the file _metadata"):
            open_vectors(out)

    def test_files_are_not_kept_open(self, out: Path) -> None:
        vectors = open_vectors(out)
        assert [vectors.tokens(i) for i in range(len(vectors))] == TEXT
        opened = {link.resolve() for link in Path("/proc/self/fd").iterdir()}
        assert not opened & {file.resolve() for file in out.iterdir()}


@pytest.mark.parametrize("form", ["parquet", "parquet-directory"])
def test_damaged_parquet_raises(form: Format, bilm_folder: str, tmp_path: Path) -> None:
    out = embed(tmp_path / "out", BlockEncoder(bilm_folder, "last"), form)
    file = sorted(out.glob("*.parquet"))[0] if out.is_dir() else out
    expected = open_vectors(out)[0]
    content = bytearray(file.read_bytes())
    at = content.index(expected.tobytes()[:64])
    content[at + 5] ^= 1
    file.write_bytes(content)
    with pytest.raises(ValueError, match=f"^{file}: expected an undamaged file of vectors: "):
        open_vectors(out)[0]


@pytest.mark.parametrize("form", FORMATS)
def test_vectors_are_pickled_by_path(
    form: Format, bilm_folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pooling = "mean" if form == "npy" else None
    embed(tmp_path / "out", BlockEncoder(bilm_folder, pooling=pooling), form)
    vectors = open_vectors("out")
    assert vectors.format == form
    stored = pickle.dumps(vectors)
    monkeypatch.chdir(ROOT)
    again = pickle.loads(stored)
    for found, same in zip(again, vectors, strict=True):
        numpy.testing.assert_array_equal(found, same)
    assert len(stored) < 1000
    vectors.close()
    with pytest.raises(ValueError, match="expected an open file of vectors, found it closed"):
        pickle.dumps(vectors)


@pytest.mark.parametrize("form", FORMATS)
def test_indices_are_integers_and_slices(form: Format, bilm_folder: str, tmp_path: Path) -> None:
    pooling = "mean" if form == "npy" else None
    out = embed(tmp_path / "out", BlockEncoder(bilm_folder, pooling=pooling), form)
    with open_vectors(out) as vectors:
        for index in (numpy.int64(1), numpy.uint8(1), True):  # as a list
            numpy.testing.assert_array_equal(vectors[index], vectors[1])
        for other in ("0", None, 1.0, [0, 1], numpy.array([0, 1]), numpy.bool_(True)):
            with pytest.raises(TypeError, match="integer"):
                vectors[other]  # type: ignore[call-overload]


@pytest.mark.parametrize("form", ["parquet", "parquet-directory"])
def test_replaced_parquet_files_are_not_mixed(
    form: Format, bilm_folder: str, tmp_path: Path
) -> None:
    first, other = (
        embed(tmp_path / name, BlockEncoder(bilm_folder, layers), form)
        for name, layers in (("first", 0), ("other", 1))
    )
    vectors = open_vectors(first)
    kept = vectors[0]
    Path(first).rename(tmp_path / "old")
    Path(other).rename(first)
    numpy.testing.assert_array_equal(vectors[0], kept)
    with pytest.raises(ValueError, match="the file was replaced after it had been opened"):
        vectors[-1]


def test_numpy_reads_npy(bilm_folder: str, tmp_path: Path) -> None:
    out = embed(tmp_path / "out.npy", BlockEncoder(bilm_folder, "last", "mean"), "npy")
    _assert_near(numpy.load(out), Embedder(bilm_folder).encode(TEXT, "last", "mean"))


@pytest.mark.parametrize("form", FORMATS)
def test_equal_runs_write_equal_bytes(form: Format, bilm_folder: str, tmp_path: Path) -> None:
    encoder = BlockEncoder(bilm_folder, "average", "mean" if form == "npy" else None)
    first, second = (embed(tmp_path / name, encoder, form) for name in "ab")
    contents = [
        [file.read_bytes() for file in sorted(out.rglob("*") if out.is_dir() else [out])]
        for out in (first, second)
    ]
    assert contents[0] == contents[1]


def test_options_that_a_format_cannot_hold_raise(bilm_folder: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="packed: expected no pooling"):
        embed(tmp_path / "out", BlockEncoder(bilm_folder, pooling="mean"), "packed")
    with pytest.raises(ValueError, match="npy: expected pooling mean or max"):
        embed(tmp_path / "out", BlockEncoder(bilm_folder), "npy")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.hdf5", "packed"), ("a.h5", "packed"), ("a.parquet", "parquet"), ("a.npy", "npy")],
)
def test_formats_by_suffix(name: str, expected: Format) -> None:
    assert output_format(name) == expected
    assert output_format(name, "allennlp") == "allennlp"
    assert output_format("folder/") == "parquet-directory"
    with pytest.raises(ValueError, match=r"a\.txt: expected a name that ends in"):
        output_format("a.txt")


def test_allennlp_files_without_sentences(bilm_folder: str, tmp_path: Path) -> None:
    """Open files without an index, which `allennlp elmo --forget-sentences` wrote."""
    out = embed(tmp_path / "out", BlockEncoder(bilm_folder), "allennlp")
    with open_vectors(out) as vectors:
        expected = list(vectors)
    with h5py.File(out, "a") as file:
        del file["sentence_to_index"]
    with open_vectors(out) as vectors:
        for found, same in zip(vectors, expected, strict=True):
            numpy.testing.assert_array_equal(found, same)
        with pytest.raises(ValueError, match="sentence_to_index"):
            vectors.tokens(0)


@pytest.mark.parametrize(
    "header",
    ["{'descr': (), 'fortran_order': False, 'shape': (1, 2)}", "-" * 5000 + "1"],
    ids=["empty type", "deep"],
)
def test_npy_headers_that_are_no_arrays(header: str, tmp_path: Path) -> None:
    path = tmp_path / "file.npy"
    content = f"{header}\n".encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(content).to_bytes(2, "little") + content)
    with pytest.raises(ValueError, match=f"^{path}: expected"):
        open_vectors(path)


@pytest.mark.parametrize(
    "name",
    [
        *("run:1/vectors.parquet", "s3:x.parquet", "run:1/vectors/"),
        *(os.fsdecode(b"\xff.parquet"), os.fsdecode(b"\xff/")),
    ],
)
def test_parquet_names_with_colons_and_other_bytes_than_utf8_are_paths(
    name: str, bilm_folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run:1").mkdir()
    form: Format = "parquet-directory" if name.endswith("/") else "parquet"
    embed(Path(name), BlockEncoder(bilm_folder), form)
    with open_vectors(name) as vectors:
        assert len(vectors) == len(TEXT) and vectors[0].size


@pytest.mark.parametrize("pooled", [False, True])
def test_parquet_with_missing_values_raises(pooled: bool, bilm_folder: str, tmp_path: Path) -> None:
    encoder = BlockEncoder(bilm_folder, "last", "mean" if pooled else None)
    path = embed(tmp_path / "out.parquet", encoder, "parquet")
    whole = parquet.read_table(path).to_pylist()
    schema = parquet.read_schema(path)

    def error(**changed: object) -> str:
        rows = [{**row, **changed} if i == 2 else row for i, row in enumerate(whole)]
        parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), path)
        with (
            open_vectors(path) as vectors,
            pytest.raises(ValueError, match=f"^{path}: expected") as raised,
        ):
            vectors[2], vectors.tokens(2)
        return str(raised.value)

    vectors, tokens = whole[2]["vectors"], whole[2]["tokens"]
    assert len(tokens) > 1
    first = [None, *vectors[1:]] if pooled else [[None, *vectors[0][1:]], *vectors[1:]]
    nothing = [math.nan, *vectors[1:]] if pooled else [[math.nan, *vectors[0][1:]], *vectors[1:]]
    assert "missing values in the column vectors" in error(vectors=None)
    assert "missing values in the column vectors" in error(vectors=first)
    assert "missing values in the column tokens" in error(tokens=None)
    assert "missing values in the column tokens" in error(tokens=[None, *tokens[1:]])
    assert "finite vectors of line 2" in error(vectors=nothing)
    if not pooled:
        assert "different numbers of tokens" in error(tokens=tokens[1:])


@pytest.mark.parametrize("content", [b"", b"text", b"\x93NUMPY", b"PAR1", b"\x89HDF\r\n\x1a\n..."])
def test_other_files_raise(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.raises(FileNotFoundError, match="expected vectors that `elmo embed` wrote"):
        open_vectors(path)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"^{path}: expected"):
        open_vectors(path)


def test_hdf5_without_datasets_raises(tmp_path: Path) -> None:
    path = tmp_path / "file.hdf5"
    h5py.File(path, "w").close()
    with pytest.raises(ValueError, match=f"^{path}: expected"):
        open_vectors(path)
