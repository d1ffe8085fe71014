"""`elmo embed` against `Embedder`: what it reads, and the options of its vectors."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from allennlp.common.plugins import import_plugins

from elmo_plugin import Embedder, open_vectors
from elmo_plugin.embedding.choices import Layers, Pooling
from tests.helpers.command_line import elmo, elmo_error
from tests.helpers.random_bilm import random_warm_bilm, save
from tests.helpers.untrained import write_task

LINES = ["The bank is closed .", "", "한국어 문장"]
MORE = ["A river", "The muddy bank"]
TOKENS = [line.split() for line in LINES]
RAW = ["The bank's closed.", "", "Don't!"]
JSON = "".join(f"{json.dumps(row)}\n" for row in (TOKENS[0], LINES[2], {"text": MORE[0]}))
COLUMNS = "DT The\nNN bank\n\nNN river\n"


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


# Contents of files in the order of the command, options, and the sentences that they hold.
INPUTS: dict[str, tuple[dict[str, str], list[str], list[Any]]] = {
    "a blank line": ({"text": text(LINES)}, [], TOKENS),
    "files in their order": (
        {"b.txt": text(MORE), "a.txt": text(LINES)},
        [],
        [*map(str.split, MORE), *TOKENS],
    ),
    "raw text": ({"text": text(RAW)}, ["--raw-text"], RAW),
    "JSON by an option": (
        {"text": JSON},
        ["--input-format", "jsonl"],
        [TOKENS[0], TOKENS[2], MORE[0].split()],
    ),
    "a column": ({"text.conll": COLUMNS}, ["--column", "2"], [["The", "bank"], ["river"]]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A biLM with a warm state."""
    folder = tmp_path_factory.mktemp("bilm")
    save(random_warm_bilm(), folder)
    return folder


def assert_vectors(
    out: Path, sentences: list[Any], expected: list[numpy.ndarray], rtol: float = 1e-5
) -> None:
    """Compare the vectors, and the tokens of sentences that are tokenized."""
    with open_vectors(out) as vectors:
        assert len(vectors) == len(sentences) == len(expected)
        for i, sentence in enumerate(sentences):
            numpy.testing.assert_allclose(vectors[i], expected[i], rtol=rtol, atol=rtol / 10)
            if isinstance(sentence, list):
                assert vectors.tokens(i) == sentence


@pytest.mark.parametrize(("files", "options", "sentences"), INPUTS.values(), ids=INPUTS)
def test_sentences_are_those_of_the_input(
    files: dict[str, str],
    options: list[str],
    sentences: list[Any],
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    paths, out = [tmp_path / name for name in files], tmp_path / "out.hdf5"
    elmo(monkeypatch, "embed", *paths, out, "--bilm", folder, "--workers", 1, *options)
    assert_vectors(out, sentences, Embedder(folder).encode(sentences, "all"))


def test_a_file_without_words_stops_before_the_first_vector(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, content in (("a", text(LINES)), ("b", "\n \n")):
        (tmp_path / f"{name}.txt").write_text(content, encoding="utf-8")
    given = (tmp_path / "*.txt", tmp_path / "out.hdf5", "--bilm", folder, "--workers", 1)
    error = elmo_error(monkeypatch, capsys, "embed", *given)
    assert f"{tmp_path / 'b.txt'}: expected text, found no words" in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def test_standard_input(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.hdf5"
    command = [sys.executable, "-m", "elmo_plugin", "embed", "-", str(out), "--bilm", str(folder)]
    subprocess.run(command, input=text(LINES).encode(), check=True)
    assert_vectors(out, TOKENS, Embedder(folder).encode(TOKENS, "all"))


def test_standard_output(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text(text(LINES), encoding="utf-8")
    command = [sys.executable, "-m", "elmo_plugin", "embed", str(tmp_path / "text"), "/dev/stdout"]
    options = ["--format", "npy", "--pooling", "max", "--bilm", str(folder), "--workers", "1"]
    result = subprocess.run([*command, *options], stdout=subprocess.PIPE, check=True)
    content = io.BytesIO(result.stdout)
    vectors = Embedder(folder).encode(TOKENS, "all", pooling="max")
    numpy.testing.assert_allclose(numpy.load(content), numpy.stack(vectors), rtol=1e-5, atol=1e-6)
    assert not content.read()


def embed_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *options: object, name: str = "out.hdf5"
) -> Path:
    (tmp_path / "text").write_text(text(LINES), encoding="utf-8")
    out = tmp_path / name
    elmo(monkeypatch, "embed", tmp_path / "text", out, "--workers", 1, *options)
    return out


@pytest.mark.parametrize("pooling", [None, "mean", "max"])
@pytest.mark.parametrize("layers", ["all", "last", "average", 0, 1])
def test_layers_and_pooling(
    layers: Layers,
    pooling: Pooling | None,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name, options = ("out.npy", ("--pooling", pooling)) if pooling else ("out.hdf5", ())
    chosen = ("--bilm", folder, "--layers", layers, *options)
    out = embed_text(monkeypatch, tmp_path, *chosen, name=name)
    expected = Embedder(folder).encode(TOKENS, layers, pooling)
    with open_vectors(out) as vectors:
        for found, row in zip(vectors, expected, strict=True):
            numpy.testing.assert_allclose(found, row, rtol=1e-5, atol=1e-6)


def test_half_precision(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = embed_text(monkeypatch, tmp_path, "--bilm", folder, "--float16")
    assert_vectors(out, TOKENS, Embedder(folder).encode(TOKENS, "all"), rtol=2**-11)
    with open_vectors(out) as vectors:
        assert vectors[0].dtype == numpy.float16


def test_initial_state(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = embed_text(monkeypatch, tmp_path, "--bilm", folder, "--initial-state", "warm")
    warm = Embedder(folder, initial_state="warm").encode(TOKENS, "all")
    assert abs(warm[0] - Embedder(folder).encode(TOKENS, "all")[0]).max() > 0.01
    assert_vectors(out, TOKENS, warm)


def test_mix_of_a_task_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    import_plugins()
    run = tmp_path / "tagger"
    write_task("ner", "elmo", "{ sizes+:: { hidden: 8 } }", run)
    state = torch.load(run / "best.th")
    [mix] = [name for name in state if name.endswith("scalar_parameters")]
    torch.save({**state, mix: torch.arange(3.0)}, run / "best.th")
    out = embed_text(monkeypatch, tmp_path, "--bilm", run, "--layers", "mix")
    mixed = Embedder(run).encode(TOKENS, "mix")
    assert abs(mixed[0] - Embedder(run).encode(TOKENS)[0]).max() > 0.01
    assert_vectors(out, TOKENS, mixed)


def test_workers_import_the_package(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "package_of_a_user.py").write_text(
        "import os, pathlib\npathlib.Path(__file__).with_name(f'process-{os.getpid()}').touch()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    # This process alone encodes what fits into one block.
    monkeypatch.setattr("elmo_plugin.embedding.blocks.MAX_BLOCK_SENTENCES", 4)
    (tmp_path / "text").write_text(text(MORE * 4))
    package = ("--include-package", "package_of_a_user")
    out = tmp_path / "out.hdf5"
    elmo(monkeypatch, "embed", tmp_path / "text", out, "--bilm", folder, "--workers", 2, *package)
    processes = {int(file.name.partition("-")[2]) for file in tmp_path.glob("process-*")}
    assert processes - {os.getpid()}


def write_configuration(folder: Path, *embedders: dict[str, Any]) -> Path:
    """Write a configuration whose only sentence is "bank"."""
    (folder / "train.conll").write_text("bank NN O O\n")
    config = {
        "dataset_reader": {
            "type": "conll2003",
            "token_indexers": {"elmo": {"type": "elmo_characters"}},
        },
        "train_data_path": str(folder / "train.conll"),
        "model": {"embedders": embedders},
    }
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    return path


def test_a_configuration_names_its_bilm(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = {"type": "elmo", "weight_file": str(folder / "weights.hdf5")}
    command = ("embed", write_configuration(tmp_path, own), tmp_path / "out.hdf5")
    elmo(monkeypatch, *command)
    expected = Embedder(folder).encode([["bank"]], "all")
    assert_vectors(tmp_path / "out.hdf5", [["bank"]], expected)
    write_configuration(tmp_path, own, {"type": "elmo"})
    error = elmo_error(monkeypatch, capsys, *command)
    found = f"{own['weight_file']}, built-in"
    assert f"{command[1]}: expected one value, found {found}; choose one with --bilm" in error
    elmo(monkeypatch, *command, "--bilm", folder)
    assert_vectors(tmp_path / "out.hdf5", [["bank"]], expected)


@pytest.mark.parametrize(
    "option, own, other", [("initial_state", "warm", "zero"), ("precision", "bfloat16", "float32")]
)
def test_a_configuration_names_its_options(
    option: str,
    own: str,
    other: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    embedder = {"type": "elmo", "weight_file": str(folder / "weights.hdf5"), option: own}
    command = ("embed", write_configuration(tmp_path, embedder), tmp_path / "out.hdf5")
    named: Any = {option: own}
    expected = Embedder(folder, **named).encode([["bank"]], "all")
    elmo(monkeypatch, *command)
    assert_vectors(tmp_path / "out.hdf5", [["bank"]], expected)
    default = Embedder(folder).encode([["bank"]], "all")
    assert abs(default[0] - expected[0]).max() > 1e-4
    elmo(monkeypatch, *command, f"--{option.replace('_', '-')}", other)
    assert_vectors(tmp_path / "out.hdf5", [["bank"]], default)


def test_json_lines_that_are_taken_for_a_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lines.json").write_text('{"text": "x y"}\n')
    error = elmo_error(monkeypatch, capsys, "embed", tmp_path / "lines.json", tmp_path / "a.hdf5")
    assert "lines.json: expected a configuration with a dataset_reader, found none" in error
    assert "--input-format jsonl" in error


@pytest.mark.parametrize(
    "changes, message",
    [
        ([{}, {"initial_state": "warm"}], "choose one with --initial-state"),
        ([{}, {"precision": "bfloat16"}], "choose one with --precision"),
        ([{"initial_state": "carried"}], 'config.json: initial_state: expected "zero" or "warm"'),
        ([{"options_file": "other.json"}], "config.json: options_file: expected"),
    ],
    ids=["several states", "several types", "a carried state", "options elsewhere"],
)
def test_a_configuration_that_other_activations_belong_to(
    changes: list[dict[str, str]],
    message: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = {"type": "elmo", "weight_file": str(folder / "weights.hdf5")}
    config = write_configuration(tmp_path, *({**own, **change} for change in changes))
    assert message in elmo_error(monkeypatch, capsys, "embed", config, tmp_path / "out.hdf5")
    assert not (tmp_path / "out.hdf5").exists()
