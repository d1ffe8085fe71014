"""`elmo probe`, against scikit-learn on vectors encoded one by one, and constructed labels."""

import re
from pathlib import Path

import numpy
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from elmo_plugin.experiments.intrinsic.probes import PENALTY
from elmo_plugin.experiments.intrinsic.versus_top_layer import VERSUS_TOP
from tests.helpers.probe_texts import (
    TEST,
    TRAIN,
    labels_of,
    layers_of,
    probe,
    write_conllu,
    write_one_hot_vectors,
)


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return write_one_hot_vectors(tmp_path)


def test_accuracies_are_scikit_learns(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]

    accuracy = probe(monkeypatch, tmp_path, vectors, *files)["accuracy"]

    train, test = layers_of(TRAIN), layers_of(TEST)
    expected = {"average": (train.mean(0), test.mean(0))}
    expected.update({str(i): pair for i, pair in enumerate(zip(train, test))})
    for layer, (x, y) in expected.items():
        correct = reference(x, labels_of(TRAIN), y, labels_of(TEST))
        score = 100 * correct.mean()
        assert accuracy[f"biLM {layer}"] == pytest.approx(score, abs=0.5), layer
    # The label depends on the word before, which vectors of single words do not contain.
    assert accuracy["biLM 1"] > accuracy["biLM 0"]
    assert accuracy["random biLM 1"] > accuracy["random biLM 0"]
    assert accuracy["random CoVe 1"] > accuracy["static vectors"]


def reference(
    train: numpy.ndarray, train_labels: list[str], test: numpy.ndarray, test_labels: list[str]
) -> numpy.ndarray:
    """Return for each token if its label is predicted."""
    scaler = StandardScaler().fit(train)
    classifier = LogisticRegression(C=1 / PENALTY, max_iter=5000)
    classifier.fit(scaler.transform(train), train_labels)
    return classifier.predict(scaler.transform(test)) == numpy.array(test_labels)


def test_labels_that_are_the_words_are_in_one_hot_vectors(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parallel files whose labels are the words themselves."""
    paths = [tmp_path / "train.txt", tmp_path / "test.txt"]
    for path, text in zip(paths, (TRAIN, TEST)):
        path.write_text("".join(f"{' '.join(w for w, _ in sentence)}\n" for sentence in text))
    options = ("--labels", *paths, "--random-seeds", 2)
    content = probe(monkeypatch, tmp_path, vectors, *paths, *options)
    assert content["accuracy"]["static vectors"] == 100
    assert content["accuracy"]["static vectors"] > content["accuracy"]["biLM 2"]
    rows = {f"{row['representation']} {row['layer']}".strip(): row for row in content["rows"]}
    top = rows.pop("biLM 2")
    assert [top[column] for column in VERSUS_TOP] == [None] * 3
    difference, interval, p = VERSUS_TOP
    for row in rows.values():
        found = row["accuracy"]["mean"] - top["accuracy"]["mean"]
        assert row[difference] == pytest.approx(found)
        assert row[interval]["low"] <= found <= row[interval]["high"]
        assert 0 < row[p]["p"] <= 1
    # If one system is never wrong, only two of all exchanges of the sentences where the other one
    # is wrong have a difference as large as the one found.
    words = [[w for sentence in text for w, _ in sentence] for text in (TRAIN, TEST)]
    correct = reference(layers_of(TRAIN)[2], words[0], layers_of(TEST)[2], words[1])
    sentences = [i for i, sentence in enumerate(TEST) for _ in sentence]
    wrong = {i for i, right in zip(sentences, correct) if not right}
    assert rows["static vectors"][p]["p"] == pytest.approx(2 / 2 ** len(wrong), rel=0.1)


def test_samples_of_the_training_text(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]
    tables = [
        probe(monkeypatch, tmp_path, vectors, *files, "--sentences", 10, "--seed", seed)
        for seed in (3, 3, 4)
    ]
    assert tables[0]["metadata"]["Trained on"].startswith("10 sentences of")
    assert tables[0]["rows"] == tables[1]["rows"]
    assert tables[0]["rows"] != tables[2]["rows"]
    # Two samples have consecutive seeds.
    options = ("--sentences", 10, "--seed", 3, "--samples", 2)
    both = probe(monkeypatch, tmp_path, vectors, *files, *options)["rows"][0]["accuracy"]
    singles = [tables[i]["rows"][0]["accuracy"]["mean"] for i in (0, 2)]
    assert both["values"] == singles and both["mean"] == pytest.approx(sum(singles) / 2)


def test_samples_have_labels_of_their_own(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each classifier counts the labels that its own sample lacks as errors."""
    rare = [[(w, f"{i % 9}") for w, _ in sentence] for i, sentence in enumerate(TRAIN)]
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((rare, rare))]

    def numbers(*options: object) -> list[list[str]]:
        table = probe(monkeypatch, tmp_path, vectors, *files, "--sentences", 6, *options)
        return [re.findall(r"\d+", part) for part in table["metadata"]["Label"].split(";")]

    first, second = numbers("--seed", 3), numbers("--seed", 4)
    assert first != second
    assert numbers("--seed", 3, "--samples", 2) == [a + b for a, b in zip(first, second)]


def test_one_sample_is_all_of_a_small_text(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]
    table = probe(monkeypatch, tmp_path, vectors, *files, "--samples", 2)
    assert table["metadata"]["Samples"].startswith("one in place of 2")
    assert len(table["rows"][0]["accuracy"]["values"]) == 1


def test_intervals_and_several_random_weights(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]
    rows = probe(monkeypatch, tmp_path, vectors, *files, "--random-seeds", 3)["rows"]
    singles = [
        probe(monkeypatch, tmp_path, vectors, *files, "--seed", seed)["accuracy"]
        for seed in range(3)
    ]
    for row in rows:
        name = f"{row['representation']} {row['layer']}".strip()
        values = row["accuracy"]["values"]
        if name.startswith("random"):
            assert values == [single[name] for single in singles]
        else:
            assert len(values) == 1
        low, high = row["95% CI"].values()
        assert low <= row["accuracy"]["mean"] + 0.01 and row["accuracy"]["mean"] - 0.01 <= high


def test_dependency_relations_are_another_label(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]
    for file in files:
        lines = [line.split("\t") for line in file.read_text().splitlines()]
        for parts in lines:
            if len(parts) > 1:
                parts[3], parts[6], parts[7] = "X", "0", f"rel{parts[3]}"
        file.write_text("\n".join("\t".join(parts) for parts in lines) + "\n\n")
    table = probe(monkeypatch, tmp_path, None, *files, "--column", "deprel")
    assert table["paper"] == "" and table["metadata"]["Label"] == "deprel, 4 classes"
    assert table["accuracy"]["biLM 1"] > table["accuracy"]["biLM 0"]


def test_labels_that_do_not_align(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text").write_text("a dog\na dog\n")
    (tmp_path / "labels").write_text("D N\nD\n")
    given = (tmp_path / "text", tmp_path / "text", "--labels", *[tmp_path / "labels"] * 2)
    with pytest.raises(SystemExit, match=re.escape(f"{tmp_path / 'labels'}, line 2")):
        probe(monkeypatch, tmp_path, vectors, *given)


def test_labels_that_training_lacks_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]
    known = probe(monkeypatch, tmp_path, None, *files)["metadata"]["Label"]
    number = files[1].read_text().count("NOUN")
    files[1].write_text(files[1].read_text().replace("NOUN", "SYM"))
    found = probe(monkeypatch, tmp_path, None, *files)["metadata"]["Label"]
    assert found == f"{known}; {number} test tokens have other labels and count as errors"


def test_single_class(tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", TRAIN) for i in range(2)]
    with pytest.raises(SystemExit, match="at least two classes"):
        probe(monkeypatch, tmp_path, vectors, *files, "--column", "xpos")


def test_without_static_vectors_there_are_only_bilms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]
    rows = probe(monkeypatch, tmp_path, None, *files)["rows"]
    assert {row["representation"] for row in rows} == {"random biLM", "biLM"}


def test_only_parts_of_speech_are_compared_with_the_paper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_conllu(tmp_path / f"{i}.conllu", text) for i, text in enumerate((TRAIN, TEST))]
    table = probe(monkeypatch, tmp_path, None, *files)
    assert (table["paper"], table["columns"][-1]) == ("Table 6", "paper (PTB)")
    assert [row["paper (PTB)"] for row in table["rows"] if row["layer"] == "1"] == [None, 97.3]

    for file in files:
        file.write_text(file.read_text().replace("NOUN", "B-PER").replace("VERB", "O"))
    table = probe(monkeypatch, tmp_path, None, *files)
    assert (table["paper"], table["columns"][-1]) == ("", VERSUS_TOP[-1])
