"""Scripts of benchmarks/ on small texts, against scikit-learn and the commands."""

import argparse
import gzip
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from sklearn.neighbors import NearestNeighbors

from elmo_plugin.experiments.intrinsic.probes import linear_probe
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.pretrained import load_pretrained_bilm
from tests.helpers.probe_texts import (
    BILM,
    TEST,
    TRAIN,
    labels_of,
    layers_of,
    probe,
    write_conllu,
)

ROOT = Path(__file__).parent.parent
PLAYS = {
    "play%1:10:01::": [
        "The actors gave their play twice",
        "She wrote a play for the theatre",
        "A new play opened on Broadway",
        "The critics hated his first play",
    ],
    "play%1:04:01::": [
        "He made a brilliant play at second base",
        "The coach called the next play",
        "It was the best play of the game",
    ],
    "play%2:33:00::": ["They play in the garden"],
}


def run(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: object) -> list[dict[str, Any]]:
    """Run a benchmark whose last argument is that of `--out`; return the rows that it writes."""
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    runpy.run_path(str(ROOT / "benchmarks" / name), run_name="__main__")
    return json.loads(Path(f"{arguments[-1]}.json").read_text())["rows"]


def test_the_nearest_play_has_the_same_sense(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(line.split(), sense) for sense, lines in PLAYS.items() for line in lines]
    with gzip.open(tmp_path / "semcor.jsonl.gz", "wt") as lines:
        for tokens, sense in found:
            span = {"start": tokens.index("play"), "sense": sense}
            lines.write(json.dumps({"tokens": tokens, "senses": [span]}) + "\n")

    rows = run(monkeypatch, "play.py", tmp_path / "semcor.jsonl.gz", "--out", tmp_path / "play")

    nouns = [(tokens, sense) for tokens, sense in found if sense.startswith("play%1")]
    bilm = load_pretrained_bilm()
    with torch.no_grad():
        layers = torch.stack(
            [bilm(batch_to_ids([t])).layers[:, 0, t.index("play")] for t, _ in nouns], dim=1
        ).numpy()
    theater = numpy.array([sense == "play%1:10:01::" for _, sense in nouns])
    plain = {"layer 1": layers[1], "layer 2": layers[2], "average": layers.mean(0)}
    centered = {f"{name}, centered": x - x.mean(0) for name, x in plain.items()}
    for name, vectors in {**plain, **centered}.items():
        search = NearestNeighbors(n_neighbors=2, metric="cosine").fit(vectors)
        nearest = search.kneighbors(vectors, return_distance=False)[:, 1]
        same = theater[nearest] == theater
        [row] = [row for row in rows if row["vectors"] == f"biLM, {name}"]
        assert row["theater"] == f"{same[theater].mean():.0%} of 4"
        assert row["activity"] == f"{same[~theater].mean():.0%} of 3"
    # Layer 0 encodes the word alone.
    [row] = [row for row in rows if row["vectors"] == "biLM, layer 0"]
    assert row["theater"] == row["activity"] == "all equal"


def test_probe_before_the_residual_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]
    (tmp_path / "vectors.txt").write_text("the 1 0\na 0 1\n")
    options = ("--sentences", 20, "--samples", 2)
    of_command = probe(monkeypatch, tmp_path, tmp_path / "vectors.txt", *files, *options)

    out = tmp_path / "residual"
    rows = run(monkeypatch, "residual.py", *files, *options, "--bilm", BILM, "--out", out)
    assert [row["accuracy"]["mean"] for row in rows[:2]] == [
        of_command["accuracy"][f"biLM {layer}"] for layer in (1, 2)
    ]

    everything = (*files, "--sentences", 100, "--samples", 1, "--bilm", BILM, "--out", out)
    train, test = layers_of(TRAIN), layers_of(TEST)
    expected = linear_probe(
        *(train[2] - train[1], labels_of(TRAIN)), *(test[2] - test[1], labels_of(TEST))
    )
    difference = run(monkeypatch, "residual.py", *everything)[2]["accuracy"]["mean"]
    assert difference == pytest.approx(100 * expected.mean(), abs=0.5)


def test_damaged_input_of_some_kinds(tmp_path: Path) -> None:
    kinds = ("weights: bytes", "text: gzipped", "static vectors", "CoNLL-U", "tables")
    options = ("--inputs", "100", "--kinds", *kinds, "--out", str(tmp_path / "robustness"))
    # In a process of its own: PyTorch cannot be forked once it has trained.
    command = [sys.executable, "benchmarks/fuzz.py", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]

    *rows, last = json.loads((tmp_path / "robustness.json").read_text())["rows"]
    assert [row["kind"] for row in rows] == list(kinds)
    for row in rows:
        assert row["inputs"] == 20 == row["accepted"] + row["refused"]
        assert row["refused"] > 0
    assert (last["kind"], last["inputs"]) == ("all", 100)


def test_outcomes_are_counted_by_kind() -> None:
    fuzz = runpy.run_path(str(ROOT / "benchmarks" / "fuzz.py"))
    statuses = {"a": ["accepted", "hang", "hang"], "b": ["refused", "wrong"]}
    tried = [
        fuzz["Tried"](kind, number, fuzz["Outcome"](status, seconds=0.5))
        for kind, found in statuses.items()
        for number, status in enumerate(found)
    ]
    arguments = argparse.Namespace(seed=0, processes=1)
    a, b, both = json.loads(fuzz["table"](tried, 60.0, arguments).json())["rows"]
    assert (a["inputs"], a["accepted"], a["hang"], a["inputs per CPU second"]) == (3, 1, 2, 2.0)
    assert (b["inputs"], b["refused"], b["wrong"], b["hang"]) == (2, 1, 1, 0)
    assert (both["inputs"], both["hang"], both["wrong"]) == (5, 2, 1)


@pytest.mark.slow
def test_a_training_that_is_killed_twice(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "benchmarks/soak.py",
        "--kills",
        "2",
        "--out",
        str(tmp_path / "soak"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    one, two = json.loads((tmp_path / "soak.json").read_text())["rows"]
    assert one["kills"] == two["kills"] == 1
    for row in (one, two):
        assert row["problems"] == row["processes left"] == 0
