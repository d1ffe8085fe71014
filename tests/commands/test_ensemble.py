"""`elmo ensemble`, against AllenNLP's predictions of each archive and scikit-learn's votes."""

import json
import re
from pathlib import Path
from typing import Any

import numpy
import pytest
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.models.archival import load_archive
from sklearn.metrics import accuracy_score

from elmo_plugin.experiments.ensemble import combine
from tests.helpers.command_line import elmo

ROOT = Path(__file__).parents[2]
DATA = ROOT / "fixtures/sst5/dev.txt"
SIZES = {"sst5": "{ hidden: 4, output: [6, 5] }", "snli": "{ hidden: 4 }"}


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """
    Two models of SST-5, whose classes are in another order, and one of SNLI. The second one was
    validated on a part of the development data.
    """
    folder = tmp_path_factory.mktemp("archives")
    reversed_data = folder / "reversed.txt"
    lines = (ROOT / "fixtures/sst5/train.txt").read_text().splitlines()
    reversed_data.write_text("\n".join([line for line in lines if line[1] in "34"] * 3 + lines))
    trained = [
        ("sst5", "{}"),
        (
            "sst5",
            f"{{ paths+:: {{ sst5+: {{ train: '{reversed_data}' }} }}, "
            "local reader = super.validation_dataset_reader, "
            "validation_dataset_reader: { type: 'subsample', reader: reader, fraction: 0.5 } }",
        ),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for i, (task, extra) in enumerate([*trained, ("snli", "{}")]):
            config = folder / f"{i}.jsonnet"
            base = f"{ROOT}/training_configs/{task}/baseline.jsonnet"
            config.write_text(
                f"(import '{base}') + {{ seed:: {i}, phrases:: false, sizes+:: {SIZES[task]}, "
                "dataset_reader+: { max_instances: 30 }, "
                f"trainer+: {{ num_epochs: 2 }} }} + {extra}"
            )
            elmo(patch, "train", config, "-s", folder / str(i))
    return [folder / str(i) / "model.tar.gz" for i in range(3)]


def run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *command: object
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Return accuracies by system, and the predictions."""
    files = ("--out", tmp_path / "table", "--predictions", tmp_path / "predictions.jsonl")
    elmo(monkeypatch, "ensemble", *command, *files)
    rows = json.loads((tmp_path / "table.json").read_text())["rows"]
    predictions = (tmp_path / "predictions.jsonl").read_text().splitlines()
    return {row["system"]: row["accuracy"] for row in rows}, list(map(json.loads, predictions))


def probabilities(archive: Path, reader: DatasetReader) -> tuple[list[dict[str, float]], list[str]]:
    """AllenNLP's output by class, one instance at a time, and the gold labels."""
    loaded = load_archive(archive)
    names = loaded.model.vocab.get_index_to_token_vocabulary("labels")
    instances = list(reader.read(DATA))
    model = loaded.model.eval()
    outputs = [model.forward_on_instance(one)["class_probabilities"] for one in instances]
    found = [{names[i]: float(p) for i, p in enumerate(row)} for row in outputs]
    return found, [str(one["label"].label) for one in instances]  # type: ignore[attr-defined]


def test_mean_of_probabilities(
    archives: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accuracies, predictions = run(monkeypatch, tmp_path, DATA, *archives[:2])
    reader = load_archive(archives[0]).validation_dataset_reader
    (first, gold), (second, _) = (probabilities(archive, reader) for archive in archives[:2])
    orders = [
        [*load_archive(a).model.vocab.get_token_to_index_vocabulary("labels")] for a in archives[:2]
    ]
    assert orders[0] != orders[1]
    for found, one, other in zip(predictions, first, second, strict=True):
        expected = {name: (one[name] + other[name]) / 2 for name in one}
        assert found["probabilities"] == pytest.approx(expected, abs=1e-5)
        assert found["label"] == max(found["probabilities"], key=found["probabilities"].__getitem__)
    single = [max(row, key=row.__getitem__) for row in first]
    assert accuracies[str(archives[0])] == pytest.approx(100 * accuracy_score(gold, single))
    labels = [found["label"] for found in predictions]
    combined = accuracies.pop("ensemble, mean")
    assert combined == pytest.approx(100 * accuracy_score(gold, labels))
    metadata = json.loads((tmp_path / "table.json").read_text())["metadata"]
    gain = combined - numpy.mean([*accuracies.values()])
    assert metadata["Gain over the mean of its members"].startswith(f"{gain:+.2f} (")


def test_the_same_archive_twice_is_itself(
    archives: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (DATA, archives[0], archives[0], "--vote", "majority")
    accuracies, _ = run(monkeypatch, tmp_path, *command)
    assert accuracies["ensemble, majority"] == accuracies[str(archives[0])]


def test_majority_is_the_most_frequent_vote_and_the_mean_breaks_ties() -> None:
    generator = numpy.random.default_rng(0)
    given = generator.dirichlet(numpy.ones(3), (4, 200))
    combined = combine(given, "majority")
    numpy.testing.assert_allclose(combined.sum(-1), 1)
    for i, best in enumerate(combined.argmax(-1)):
        votes = numpy.bincount(given[:, i].argmax(-1), minlength=3)
        tied = numpy.flatnonzero(votes == votes.max())
        assert best == tied[given[:, i].mean(0)[tied].argmax()]


def test_archives_that_do_not_go_together(
    archives: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match="ARCHIVE: expected two or more, got 1"):
        run(monkeypatch, tmp_path, DATA, archives[0])
    with pytest.raises(SystemExit, match=re.escape(str(tmp_path / "nothing.tar.gz"))):
        run(monkeypatch, tmp_path, DATA, archives[0], tmp_path / "nothing.tar.gz")
    # Trees of SST-5 are no pairs of sentences.
    with pytest.raises(SystemExit, match=r"dev\.txt"):
        run(monkeypatch, tmp_path, DATA, archives[0], archives[2])


def test_unlabeled_data_are_refused_after_the_first_batch(
    archives: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "pairs.jsonl"
    data.write_text('{"sentence1": "Ruth slept.", "sentence2": "Ruth ate."}\n' * 6)
    forward, sizes = Model.forward_on_instances, []

    def record_size(self: Model, instances: list[Instance]) -> list[dict[str, Any]]:
        sizes.append(len(instances))
        return forward(self, instances)

    monkeypatch.setattr(Model, "forward_on_instances", record_size)
    with pytest.raises(SystemExit, match=r"pairs\.jsonl: expected instances with labels"):
        run(monkeypatch, tmp_path, data, archives[2], archives[2], "--batch-size", 2)
    assert sizes == [2]


def test_a_tagger_is_no_classifier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    config = tmp_path / "tagger.jsonnet"
    config.write_text(
        f"(import '{ROOT}/training_configs/ner/baseline.jsonnet') + {{ sizes+:: {{ hidden: 4 }}, "
        "trainer+: { num_epochs: 1 }, dataset_reader+: { max_instances: 10 } }"
    )
    elmo(monkeypatch, "train", config, "-s", tmp_path / "tagger")
    archive = tmp_path / "tagger" / "model.tar.gz"
    with pytest.raises(SystemExit, match=r"expected a classifier .*, found ElmoCrfTagger"):
        run(monkeypatch, tmp_path, ROOT / "fixtures/ner/dev.conll", archive, archive)


def test_label_that_the_models_were_not_trained_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    text, config = tmp_path / "text.jsonl", tmp_path / "config.json"
    text.write_text('{"text": "Ruth slept", "label": "a"}\n{"text": "Ruth sang", "label": "b"}\n')
    embedders = {"tokens": {"type": "embedding", "embedding_dim": 4}}
    model = {
        "type": "basic_classifier",
        "text_field_embedder": {"token_embedders": embedders},
        "seq2vec_encoder": {"type": "boe", "embedding_dim": 4},
    }
    settings = {
        "dataset_reader": {"type": "text_classification_json", "tokenizer": "whitespace"},
        "train_data_path": str(text),
        "validation_data_path": str(text),
        "model": model,
        "data_loader": {"batch_size": 2},
        "trainer": {"optimizer": "adam", "num_epochs": 1, "validation_metric": "+accuracy"},
    }
    config.write_text(json.dumps(settings))
    elmo(monkeypatch, "train", config, "-s", tmp_path / "model")
    archive = tmp_path / "model" / "model.tar.gz"
    (tmp_path / "dev.jsonl").write_text('{"text": "Ruth slept", "label": "c"}\n')
    with pytest.raises(SystemExit, match=r"dev\.jsonl: expected labels .*, found c"):
        run(monkeypatch, tmp_path, tmp_path / "dev.jsonl", archive, archive)


def test_predictions_are_not_a_file_of_the_table(
    archives: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("--out", tmp_path / "t", "--predictions", tmp_path / "t.json")
    with pytest.raises(SystemExit, match=r"--predictions .*: expected a file other"):
        elmo(monkeypatch, "ensemble", DATA, *archives[:2], *given)
    assert not list(tmp_path.iterdir())


def test_predictions_are_checked_before_the_archives_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "model.tar.gz"
    archive.write_text("no archive")
    with pytest.raises(SystemExit, match=r"--predictions /proc/p\.jsonl: expected a directory"):
        elmo(monkeypatch, "ensemble", DATA, archive, archive, "--predictions", "/proc/p.jsonl")
