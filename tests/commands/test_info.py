"""`elmo info` describes what a path holds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import pytest

from elmo_plugin.commands.describe import describe
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.choices import Format
from elmo_plugin.experiments.intrinsic.corpus_encoder import IndexConfig
from elmo_plugin.experiments.intrinsic.index_files import build_index
from elmo_plugin.layers.config import BilmConfig
from elmo_plugin.weights.resolve import BUILT_IN_FOLDER
from tests.helpers.command_line import elmo, elmo_error, run_process
from tests.helpers.embedding import TEXT, embed
from tests.helpers.play_corpus import BILM, write_corpus
from tests.helpers.random_bilm import SMALL, random_bilm, save
from tests.helpers.small_archive import write_archive

Info = Callable[[object], Any]


@pytest.fixture
def info(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Info:
    """Return what `elmo info` prints as JSON."""

    def run(path: object) -> Any:
        elmo(monkeypatch, "info", path, "--json")
        return json.loads(capsys.readouterr().out)

    return run


def test_built_in_bilm_without_allennlp(tmp_path: Path) -> None:
    ended = run_process(tmp_path, "info", "built-in", "--json", blocked={"allennlp"})
    found = json.loads(ended.output)
    weights = BUILT_IN_FOLDER / "weights.hdf5"
    words = (BUILT_IN_FOLDER / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    assert found["kind"] == "biLM" and found["warm_state"]
    assert found["softmax_words"] == len(words)
    assert found["sha256"] == hashlib.sha256(weights.read_bytes()).hexdigest()
    with h5py.File(weights) as file:
        sizes: list[int] = []
        file.visititems(lambda name, item: sizes.append(getattr(item, "size", 0)))
    # The file lacks the zero rows of padding and masked words, and holds the warm state.
    assert found["parameters"] == pytest.approx(sum(sizes), rel=0.01)


@pytest.mark.parametrize("name", ["options.json", "softmax.hdf5", "vocabulary.txt"])
def test_another_file_of_a_bilm_names_the_weights(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = elmo_error(monkeypatch, capsys, "info", BUILT_IN_FOLDER / name)
    assert error.startswith(f"elmo: error: {BUILT_IN_FOLDER / name}: expected the directory of")
    assert f" {BUILT_IN_FOLDER / 'weights.hdf5'}, found another of its files" in error


def test_other_bilms(tmp_path: Path, info: Info) -> None:
    save(random_bilm(), tmp_path)
    found = info(tmp_path / "weights.hdf5")
    assert found["projection_dim"] == SMALL.projection_dim and not found["warm_state"]
    assert found["max_characters"] == BilmConfig().max_characters
    assert "softmax_words" not in found


def test_bilm_in_a_directory_with_vectors(tmp_path: Path, info: Info) -> None:
    save(random_bilm(), tmp_path)
    embed(tmp_path / "out.parquet", BlockEncoder(str(tmp_path)), "parquet")
    assert info(tmp_path)["kind"] == "biLM"


@pytest.mark.parametrize("form", ["packed", "allennlp", "parquet", "parquet-directory"])
def test_vectors(form: Format, tmp_path: Path, info: Info) -> None:
    save(random_bilm(), tmp_path)
    out = embed(tmp_path / "out", BlockEncoder(str(tmp_path)), form)
    found = info(out)
    assert (found["kind"], found["format"]) == ("vectors", form)
    assert found["lines"] == len(TEXT)
    assert found["shape_of_first_line"] == [len(TEXT[0]), 3, 16]


def test_vectors_without_sentences(tmp_path: Path, info: Info) -> None:
    save(random_bilm(), tmp_path)
    out = embed(tmp_path / "out", BlockEncoder(str(tmp_path)), "allennlp")
    with h5py.File(out, "a") as file:
        del file["sentence_to_index"]
    assert info(out)["lines"] == len(TEXT)


def test_vectors_of_no_lines(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "vectors.hdf5", "w") as file:
        file["sentence_to_index"] = ["{}"]
    with pytest.raises(ValueError, match=r"vectors\.hdf5: expected vectors of at least one line"):
        describe(str(tmp_path / "vectors.hdf5"))


def test_corpus_index(tmp_path: Path, info: Info) -> None:
    corpus, index = write_corpus(tmp_path), tmp_path / "index"
    build_index(corpus, str(index), IndexConfig("last", BILM))
    found = info(index)
    assert found["kind"] == "corpus index"
    assert (found["text"], found["bilm"], found["layers"]) == (corpus, BILM, "last")


def test_values_without_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, index = write_corpus(tmp_path), tmp_path / "index"
    build_index(corpus, str(index), IndexConfig("last", BILM))
    elmo(monkeypatch, "info", index)
    rows = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    found = describe(str(index))
    assert rows["kind"].strip() == found["kind"]
    assert rows["text"].strip() == corpus
    for name, value in found["files"].items():
        assert rows[f"files, {name}"].strip() == value
    assert found["random_seed"] is None and "random seed" not in rows


def test_training_folder_and_archive(tmp_path: Path, info: Info) -> None:
    archive = write_archive(tmp_path / "run")
    (tmp_path / "run" / "metrics.json").write_text('{"best_epoch": 3, "loss": NaN}')
    found = [info(archive), info(tmp_path / "run")]
    words = (tmp_path / "run/vocabulary/bilm.txt").read_text(encoding="utf-8").splitlines()
    for each in found:
        assert each["kind"] == "trained model" and each["model"] == "bilm"
        assert each["softmax_words"] == len(words)
    assert found[1]["metrics"] == {"best_epoch": 3, "loss": None}
    assert found[0]["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing", "missing: expected"),
        (".", "expected a trained biLM"),
        ("notes.txt", "notes.txt: expected a trained biLM: a directory, a weight file"),
    ],
)
def test_path_without_a_bilm_fails(
    path: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("Notes.")
    assert message in elmo_error(monkeypatch, capsys, "info", path)
