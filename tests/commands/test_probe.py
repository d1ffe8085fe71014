"""`elmo probe`, against scikit-learn on vectors made sentence by sentence, and planted labels."""

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from elmo_plugin.experiments.intrinsic.probes import PENALTY
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.weights import load_bilm
from tests.helpers.command_line import elmo

ROOT = Path(__file__).parent.parent.parent
BILM = ROOT / "fixtures" / "bilm"
WORDS = {"Anna": "PROPN", "runs": "VERB", "sees": "VERB", "the": "DET", "a": "DET", "dog": "NOUN"}
Labelled = list[tuple[str, str]]


def sentences(seed: int) -> list[Labelled]:
    """Words at random, a word after "the" or "a" being a noun whatever it is."""
    generator = random.Random(seed)
    made = []
    for length in generator.choices(range(3, 9), k=40):
        words = generator.choices(list(WORDS), k=length)
        before = ["", *words]
        labels = ["NOUN" if b in ("the", "a") else WORDS[w] for b, w in zip(before, words)]
        made.append(list(zip(words, labels)))
    return made


TRAIN, TEST = sentences(1), sentences(2)


def write_conllu(path: Path, text: list[Labelled]) -> Path:
    lines = [
        "\n".join(f"{i}\t{w}\t_\t{label}\t_\t_\t_\t_\t_\t_" for i, (w, label) in enumerate(s, 1))
        for s in text
    ]
    path.write_text("\n\n".join(lines) + "\n\n", encoding="utf-8")
    return path


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """One-hot vectors of the words: all that a static vector can know."""
    numbers = numpy.eye(len(WORDS), dtype=int).tolist()
    lines = [f"{word} {' '.join(map(str, v))}\n" for word, v in zip(WORDS, numbers)]
    (tmp_path / "vectors.txt").write_text("".join(lines))
    return tmp_path / "vectors.txt"


def probe(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, vectors: Path, *command: object
) -> dict[str, Any]:
    out = tmp_path / "out" / "probe"
    bilm = ("--bilm", BILM)
    elmo(monkeypatch, "probe", *command, *bilm, "--vectors", vectors, "--out", out)
    assert all(out.with_suffix(f".{kind}").stat().st_size for kind in ("md", "png", "svg"))
    content = json.loads(out.with_suffix(".json").read_text())
    content["accuracy"] = {
        f"{row['representation']} {row['layer']}".strip(): row["accuracy"]["mean"]
        for row in content["rows"]
    }
    return content


def layers_of(text: list[Labelled]) -> numpy.ndarray:
    """Shape (layers, tokens, dim)."""
    bilm = load_bilm(BILM / "options.json", BILM / "weights.hdf5")
    with torch.no_grad():
        alone = [bilm(batch_to_ids([[w for w, _ in sentence]])).layers[:, 0] for sentence in text]
    return torch.cat(alone, dim=1).numpy()


def labels_of(text: list[Labelled]) -> list[str]:
    return [label for sentence in text for _, label in sentence]


def test_each_layer_scores_as_scikit_learn_says(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]

    accuracy = probe(monkeypatch, tmp_path, vectors, *files)["accuracy"]

    train, test = layers_of(TRAIN), layers_of(TEST)
    expected = {"average": (train.mean(0), test.mean(0))}
    expected.update({str(i): pair for i, pair in enumerate(zip(train, test))})
    for layer, (x, y) in expected.items():
        scaler = StandardScaler().fit(x)
        rival = LogisticRegression(C=1 / PENALTY, max_iter=5000)
        rival.fit(scaler.transform(x), labels_of(TRAIN))
        score = 100 * rival.score(scaler.transform(y), labels_of(TEST))
        assert accuracy[f"biLM {layer}"] == pytest.approx(score, abs=0.5), layer
    # The label depends on the word before, of which a word alone knows nothing.
    assert accuracy["biLM 1"] > accuracy["biLM 0"]
    assert accuracy["random biLM 1"] > accuracy["random biLM 0"]
    assert accuracy["random CoVe 1"] > accuracy["static vectors"]


def test_a_layer_that_holds_the_label_wins(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels beside the text, and each the word itself: what one-hot vectors hold exactly."""
    paths = [tmp_path / "train.txt", tmp_path / "test.txt"]
    for path, text in zip(paths, (TRAIN, TEST)):
        path.write_text("".join(f"{' '.join(w for w, _ in sentence)}\n" for sentence in text))
    content = probe(monkeypatch, tmp_path, vectors, *paths, "--labels", *paths)
    assert content["accuracy"]["static vectors"] == 100
    assert content["accuracy"]["static vectors"] > content["accuracy"]["biLM 2"]


def test_a_sample_to_train_on(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]
    tables = [
        probe(monkeypatch, tmp_path, vectors, *files, "--sentences", 10, "--seed", seed)
        for seed in (3, 3, 4)
    ]
    assert tables[0]["facts"]["Trained on"].startswith("10 sentences of")
    assert tables[0]["rows"] == tables[1]["rows"]
    assert tables[0]["rows"] != tables[2]["rows"]
    # Two samples are those of two seeds.
    options = ("--sentences", 10, "--seed", 3, "--samples", 2)
    both = probe(monkeypatch, tmp_path, vectors, *files, *options)["rows"][0]["accuracy"]
    singles = [tables[i]["rows"][0]["accuracy"]["mean"] for i in (0, 2)]
    assert both["values"] == singles and both["mean"] == pytest.approx(sum(singles) / 2)


def test_labels_that_do_not_align(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text").write_text("a dog\na dog\n")
    (tmp_path / "labels").write_text("D N\nD\n")
    given = (tmp_path / "text", tmp_path / "text", "--labels", *[tmp_path / "labels"] * 2)
    with pytest.raises(ConfigurationError, match=re.escape(f"{tmp_path / 'labels'}, line 2")):
        probe(monkeypatch, tmp_path, vectors, *given)


def test_one_class_only(tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", TRAIN) for i in range(2)]
    with pytest.raises(ConfigurationError, match="at least two classes"):
        probe(monkeypatch, tmp_path, vectors, *files, "--column", "xpos")
