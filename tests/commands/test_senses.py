"""`elmo senses`, against scikit-learn on vectors encoded one by one, and constructed senses."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
import torch
from sklearn.neighbors import KNeighborsClassifier

from elmo_plugin.experiments.intrinsic.versus_top_layer import VERSUS_TOP
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.weights import load_bilm
from tests.helpers.command_line import elmo

ROOT = Path(__file__).parent.parent.parent
BILM = ROOT / "fixtures" / "bilm"
SENSES = {"plays": "play%1:10:00::", "played": "play%2:33:00::", "playing": "play%2:36:00::"}
OTHERS = ["the", "team", "theatre", "often", "we"]


def text(seed: int, lemmas: tuple[str, ...] = ("play", "set")) -> list[dict[str, Any]]:
    """One lemma's sense depends on its form, the other's on the word before."""
    generator = random.Random(seed)
    made = []
    for _ in range(60):
        tokens = generator.choices(OTHERS, k=generator.randint(3, 7))
        lemma = generator.choice(lemmas)
        form = generator.choice(list(SENSES)) if lemma == "play" else lemma
        position = generator.randint(1, len(tokens))
        sense = SENSES[form] if lemma == "play" else f"{lemma}%{tokens[position - 1] == 'the':d}"
        span = {"start": position, "end": position + 1, "lemma": lemma, "pos": "v", "sense": sense}
        made.append({"tokens": [*tokens[:position], form, *tokens[position:]], "senses": [span]})
    return made


TRAIN, TEST = text(1), text(2, ("play", "set", "go"))


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """One-hot vectors, which contain the senses that depend on the form."""
    words = [*SENSES, *OTHERS, "set", "go"]
    lines = [f"{w} {' '.join(str(int(w == other)) for other in words)}\n" for w in words]
    (tmp_path / "vectors.txt").write_text("".join(lines))
    return tmp_path / "vectors.txt"


def senses(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    vectors: Path,
    *more: object,
    train: list[dict[str, Any]] = TRAIN,
    test: list[dict[str, Any]] = TEST,
) -> dict[str, dict[str, Any]]:
    for name, content in (("train", train), ("test", test)):
        lines = "".join(f"{json.dumps(line)}\n" for line in content)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    out = tmp_path / "senses"
    elmo(
        *(monkeypatch, "senses", tmp_path / "train.jsonl", tmp_path / "test.jsonl"),
        *("--bilm", BILM),
        *("--vectors", vectors, "--out", out, *more),
    )
    assert all(out.with_suffix(f".{kind}").stat().st_size for kind in ("md", "png", "svg"))
    rows = json.loads(out.with_suffix(".json").read_text())["rows"]
    return {f"{row['representation']} {row['layer']}".strip(): row for row in rows}


def words_of(content: list[dict[str, Any]], lemma: str) -> list[dict[str, Any]]:
    return [line for line in content if line["senses"][0]["lemma"] == lemma]


def sense_of(line: dict[str, Any]) -> str:
    return line["senses"][0]["sense"]


def vector_of(line: dict[str, Any], layer: int) -> torch.Tensor:
    with torch.no_grad():
        layers = load_bilm(BILM / "options.json", BILM / "weights.hdf5")(
            batch_to_ids([line["tokens"]])
        ).layers[:, 0]
    return layers[layer, line["senses"][0]["start"]]


@pytest.mark.parametrize("layer", [0, 2])
def test_scores_are_scikit_learns(
    layer: int, tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A lemma with one sense in the training text is answered, and not ambiguous.
    train = [*TRAIN, *(line for line in text(3, ("rest",)) if sense_of(line) == "rest%0")]
    test = [*TEST, *text(4, ("rest",))[:20]]
    row = senses(monkeypatch, tmp_path, vectors, train=train, test=test)[f"biLM {layer}"]

    right: dict[str, int] = {}
    for lemma in ("play", "set", "rest"):
        of_sense: dict[str, list[torch.Tensor]] = {}
        for line in words_of(train, lemma):
            of_sense.setdefault(sense_of(line), []).append(vector_of(line, layer))
        # Of equally near ones, scikit-learn takes the first; here, the most frequent.
        of_sense = dict(sorted(of_sense.items(), key=lambda item: -len(item[1])))
        means = [torch.stack(found).mean(0).numpy() for found in of_sense.values()]
        nearest = KNeighborsClassifier(1, metric="cosine").fit(means, list(of_sense))
        lines = words_of(test, lemma)
        predicted = nearest.predict([vector_of(line, layer).numpy() for line in lines])
        right[lemma] = sum(p == sense_of(line) for p, line in zip(predicted, lines))
    total, ambiguous = sum(right.values()), right["play"] + right["set"]
    answered = len(test) - len(words_of(test, "go"))
    assert len(test) > answered
    assert row["precision"] == pytest.approx(100 * total / answered)
    assert row["recall"] == pytest.approx(100 * total / len(test))
    assert row["F1"] == pytest.approx(200 * total / (answered + len(test)))
    num_ambiguous = answered - len(words_of(test, "rest"))
    assert row["ambiguous"] == pytest.approx(100 * ambiguous / num_ambiguous)


def test_vectors_that_contain_the_sense_score_perfectly(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = senses(monkeypatch, tmp_path, vectors, "--lemma", "play.v")
    assert rows["static vectors"]["F1"] == 100
    assert rows["static vectors"]["not the first sense"] == 100
    counted = [sense_of(line) for line in words_of(TRAIN, "play")]
    first = max(set(counted), key=counted.count)
    gold = [sense_of(line) for line in words_of(TEST, "play")]
    assert rows["first sense"]["F1"] == pytest.approx(100 * gold.count(first) / len(gold))
    assert rows["first sense"]["not the first sense"] == 0
    top = rows.pop("biLM 2")
    assert [top[column] for column in VERSUS_TOP] == [None] * 3
    difference, interval, p_value = VERSUS_TOP
    for row in rows.values():
        assert row[difference] == pytest.approx(row["F1"] - top["F1"])
        assert row[interval]["low"] <= row[difference] <= row[interval]["high"]
    p = {name: row[p_value]["p"] for name, row in rows.items()}
    assert all(0 < value <= 1 for value in p.values())
    assert all(p[name] == 1 for name, row in rows.items() if row["F1"] == top["F1"])
    # All right against a third.
    assert top["F1"] < 40 and p["static vectors"] < 0.01


def test_first_senses_answer_for_lemmas_without_training_data(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The file has one of the two senses in the text.
    (tmp_path / "index.sense").write_text("go%2:38:00:: 01835496 1 1\n")
    test = json.loads(json.dumps(TEST).replace("go%1", "go%2:38:00::"))
    without = senses(monkeypatch, tmp_path, vectors, test=test)
    index = ("--first-senses", tmp_path / "index.sense")
    given = senses(monkeypatch, tmp_path, vectors, *index, test=test)

    unseen = [sense_of(line) for line in words_of(test, "go")]
    gained = 100 * unseen.count("go%2:38:00::") / len(test)
    assert gained > 0
    for name, row in given.items():
        assert row["recall"] == pytest.approx(without[name]["recall"] + gained)
        assert row["precision"] == pytest.approx(row["recall"])


def test_centered_vectors_are_scored_beside_plain_ones(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("--lemma", "play.v")
    plain = senses(monkeypatch, tmp_path, vectors, *given)
    both = senses(monkeypatch, tmp_path, vectors, *given, "--centered")
    assert {name: both[name] for name in plain} == plain
    assert len(both) == 2 * len(plain) - 1  # the first sense has no vectors

    train, test = (words_of(content, "play") for content in (TRAIN, TEST))
    x, y = (torch.stack([vector_of(line, 1) for line in lines]) for lines in (train, test))
    of_sense: dict[str, list[torch.Tensor]] = {}
    for line, vector in zip(train, x - x.mean(0)):
        of_sense.setdefault(sense_of(line), []).append(vector)
    means = [torch.stack(found).mean(0).numpy() for found in of_sense.values()]
    nearest = KNeighborsClassifier(1, metric="cosine").fit(means, list(of_sense))
    predicted = nearest.predict((y - x.mean(0)).numpy())
    right = sum(p == sense_of(line) for p, line in zip(predicted, test))
    assert both["biLM, centered 1"]["F1"] == pytest.approx(100 * right / len(test))


def test_several_random_weights_and_intervals(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = senses(monkeypatch, tmp_path, vectors, "--random-seeds", 2)
    singles = [senses(monkeypatch, tmp_path, vectors, "--seed", seed) for seed in (0, 1)]
    for name, row in rows.items():
        found = row["F1"]
        if name.startswith("random"):
            assert found["values"] == pytest.approx([single[name]["F1"] for single in singles])
            found = found["mean"]
        low, high = row["95% CI"].values()
        assert low <= found <= high


def test_the_papers_scores_are_of_all_words(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "paper F1" in senses(monkeypatch, tmp_path, vectors)["biLM 1"]
    rows = senses(monkeypatch, tmp_path, vectors, "--lemma", "play.v")
    assert "paper F1" not in rows["biLM 1"]


def test_lemma_without_training_data(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=r"--lemma go\.v: expected a lemma of .*train"):
        senses(monkeypatch, tmp_path, vectors, "--lemma", "go.v")
