"""Labeled sentences, and the command `elmo probe` on them."""

import json
import random
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

from elmo_plugin.layers import batch_to_ids
from elmo_plugin.weights import load_bilm
from tests.helpers.command_line import elmo

BILM = Path(__file__).parents[2] / "fixtures" / "bilm"
WORDS = {"Anna": "PROPN", "runs": "VERB", "sees": "VERB", "the": "DET", "a": "DET", "dog": "NOUN"}
Labeled = list[tuple[str, str]]


def sentences(seed: int) -> list[Labeled]:
    """Random words, of which every one after "the" or "a" is labeled as a noun."""
    generator = random.Random(seed)
    made = []
    for length in generator.choices(range(3, 9), k=40):
        words = generator.choices(list(WORDS), k=length)
        before = ["", *words]
        labels = ["NOUN" if b in ("the", "a") else WORDS[w] for b, w in zip(before, words)]
        made.append(list(zip(words, labels)))
    return made


TRAIN, TEST = sentences(1), sentences(2)


def write_conllu(path: Path, text: list[Labeled]) -> Path:
    lines = [
        "\n".join(f"{i}\t{w}\t_\t{label}\t_\t_\t_\t_\t_\t_" for i, (w, label) in enumerate(s, 1))
        for s in text
    ]
    path.write_text("\n\n".join(lines) + "\n\n", encoding="utf-8")
    return path


def write_one_hot_vectors(folder: Path) -> Path:
    """Write one-hot vectors of the words: all that a static vector can know."""
    numbers = numpy.eye(len(WORDS), dtype=int).tolist()
    lines = [f"{word} {' '.join(map(str, v))}\n" for word, v in zip(WORDS, numbers)]
    (folder / "vectors.txt").write_text("".join(lines))
    return folder / "vectors.txt"


def probe(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, vectors: Path | None, *command: object
) -> dict[str, Any]:
    """Run `elmo probe`; return its table, with accuracies by representation and layer."""
    out = tmp_path / "out" / "probe"
    options = ("--bilm", BILM, "--out", out, *(("--vectors", vectors) if vectors else ()))
    elmo(monkeypatch, "probe", *command, *options)
    assert all(out.with_suffix(f".{kind}").stat().st_size for kind in ("md", "png", "svg"))
    content = json.loads(out.with_suffix(".json").read_text())
    content["accuracy"] = {
        f"{row['representation']} {row['layer']}".strip(): row["accuracy"]["mean"]
        for row in content["rows"]
    }
    return content


def layers_of(text: list[Labeled]) -> numpy.ndarray:
    """Shape (layers, tokens, dim)."""
    bilm = load_bilm(BILM / "options.json", BILM / "weights.hdf5")
    with torch.no_grad():
        alone = [bilm(batch_to_ids([[w for w, _ in sentence]])).layers[:, 0] for sentence in text]
    return torch.cat(alone, dim=1).numpy()


def labels_of(text: list[Labeled]) -> list[str]:
    return [label for sentence in text for _, label in sentence]
