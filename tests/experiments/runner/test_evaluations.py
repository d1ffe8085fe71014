"""Scores on test data: counts of instances against AllenNLP's evaluation of the same archive."""

import json
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.evaluate import evaluate_from_archive
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins

from elmo_plugin.experiments.runner.configurations import Configuration, read_configuration
from elmo_plugin.experiments.runner.evaluations import evaluate_archive, whole_reader
from elmo_plugin.experiments.runner.run_files import Evaluation, read_evaluation
from elmo_plugin.experiments.runner.runs import Runs
from elmo_plugin.experiments.statistics.scores import score
from tests.helpers.finished_runs import finish

ROOT = Path(__file__).parents[3]
SIZES = {
    "squad": "{ character: 4, character_filters: 6, hidden: 8, linear: 10 }",
    "snli": "{ hidden: 8 }",
    "srl": "{ hidden: 8, layers: 2, predicate: 3 }",
    "coref": "{ character: 3, character_filters: 4, hidden: 8, feedforward: 6, feature: 3, "
    "span_width: 4, antecedents: 10 }",
    "ner": "{ character: 4, character_filters: 6, hidden: 8, second_hidden: 6 }",
    "sst5": "{ hidden: 8, output: [6, 5] }",
}
COLUMNS = {"coref": 12}
TEXTS = {"squad": "passage", "snli": "premise", "coref": "text"}


def small_configuration(task: str, **changes: Any) -> Configuration:
    epochs = 3 if task in ("ner", "sst5") else 1
    config = read_configuration(
        f"{ROOT}/training_configs/{task}/baseline.jsonnet",
        f"{{ sizes+:: {SIZES[task]}, trainer+: {{ num_epochs: {epochs} }} }}",
    )
    config["dataset_reader"]["max_instances"] = 8
    return {**config, "test_data_path": config["validation_data_path"], **changes}


def fitted_configuration(task: str) -> Configuration:
    """Return one that is trained on the data it is scored on, for a score above 0."""
    config = small_configuration(task)
    config["train_data_path"] = config["test_data_path"]
    config["trainer"] |= {"num_epochs": 8, "optimizer": {"type": "adam", "lr": 0.02}}
    if task == "coref":  # would take longer to fit; all spans corefer from the start
        corefer = ["_antecedent_scorer.*bias", {"type": "constant", "val": 10.0}]
        config["model"]["initializer"]["regexes"].append(corefer)
        config["trainer"]["num_epochs"] = 1
    return config


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    import_plugins()


@pytest.mark.parametrize("task", SIZES)
def test_counts_give_the_score_of_allennlps_evaluation(task: str, tmp_path: Path) -> None:
    config = fitted_configuration(task)
    runs = Runs(tmp_path / "runs")
    run = finish(runs, config)
    evaluation = runs.evaluate(config)
    assert evaluation is not None and evaluation.score > 0
    (archive,) = (tmp_path / "runs").glob("*.tar.gz")
    expected = evaluate_from_archive(str(archive), config["test_data_path"])
    assert evaluation.score == pytest.approx(100 * expected[run.metric])
    # The test data are the development data here, and the best epoch's weights are scored.
    assert evaluation.score == pytest.approx(run.score)
    assert score(evaluation.array.sum(0)) == pytest.approx(evaluation.score)
    instances = list(whole_reader(config).read(config["test_data_path"]))
    texts = len({str(instance[TEXTS.get(task, "tokens")]) for instance in instances})
    assert evaluation.instances == len(instances)
    assert evaluation.array.shape == (texts, COLUMNS.get(task, 2))


def test_accuracies_of_instances_are_in_the_order_of_the_data(tmp_path: Path) -> None:
    config = small_configuration("sst5")
    runs = Runs(tmp_path)
    finish(runs, config)
    (archive,) = tmp_path.glob("*.tar.gz")
    given, predicted = config["test_data_path"], tmp_path / "predicted.jsonl"
    evaluate_from_archive(
        str(archive),
        given,
        predictions_output_file=str(predicted),
        cmd_overrides={"validation_data_loader": {"batch_size": 5, "shuffle": False}},
    )
    lines = [json.loads(line) for line in predicted.read_text().splitlines()]
    labels = [label for batch in lines for label in batch["label"]]
    expected: dict[str, int] = {}
    for label, instance in zip(labels, whole_reader(config).read(given)):
        sentence = str(instance["tokens"])
        expected[sentence] = expected.get(sentence, 0) + (label == instance["label"].label)
    evaluation = runs.evaluate(config)
    assert evaluation is not None and evaluation.counts[0] == [*expected.values()]


def test_test_data_are_scored_once(tmp_path: Path) -> None:
    test = tmp_path / "test.txt"
    test.write_text((ROOT / "fixtures/sst5/dev.txt").read_text())
    config = small_configuration("sst5", test_data_path=str(test))
    runs = Runs(tmp_path / "runs")
    assert runs.evaluate(config) is None  # not trained
    finish(runs, config)
    first = runs.evaluate(config)
    (archive,) = (tmp_path / "runs").glob("*.tar.gz")
    archive.unlink()
    assert runs.evaluate(config) == first
    # Other test data have not been scored yet, and need the archive.
    test.write_text("".join(test.read_text().splitlines(keepends=True)[:7]))
    with pytest.raises(ConfigurationError, match=r"tar\.gz: expected the archive of a finished"):
        runs.evaluate(config)
    assert runs.evaluate({**config, "test_data_path": None}) is None


def test_training_does_not_read_test_data(tmp_path: Path) -> None:
    config = small_configuration("sst5", test_data_path=str(tmp_path / "missing.txt"))
    assert finish(Runs(tmp_path / "runs"), config).scores


def test_test_data_are_whole_where_development_data_are_a_subsample() -> None:
    config = small_configuration("sst5")
    reader = config["dataset_reader"]
    config["validation_dataset_reader"] = {"type": "subsample", "reader": reader, "fraction": 0.1}
    number = len(list(whole_reader(config).read(config["test_data_path"])))
    assert number == len(
        list(
            whole_reader({**config, "validation_dataset_reader": reader}).read(
                config["test_data_path"]
            )
        )
    )


def test_unknown_roles_are_missed(tmp_path: Path) -> None:
    config = small_configuration("srl")
    known = Path(config["test_data_path"])
    renamed = tmp_path / "test" / "renamed.gold_conll"
    renamed.parent.mkdir()
    text = "".join(file.read_text() for file in sorted(known.glob("*_conll")))
    renamed.write_text(text.replace("(ARG0", "(ARGX"))
    instances = whole_reader(config).read(renamed.parent)
    assert any("B-ARGX" in instance["metadata"]["gold_tags"] for instance in instances)
    runs = Runs(tmp_path / "runs")
    finish(runs, config)
    counts = []
    for data in (known, renamed.parent):
        evaluation = runs.evaluate({**config, "test_data_path": str(data)})
        assert evaluation is not None
        counts.append(evaluation.array.sum(0))
    (hits, spans), (hits_without, spans_renamed) = counts
    # Predicted and gold spans together; a role that was left out would not be counted.
    assert spans_renamed == spans
    assert hits_without <= hits


def test_unknown_labels_are_named(tmp_path: Path) -> None:
    test = tmp_path / "test.conll"
    test.write_text("Sam NN NP B-NEW\n. . O O\n")
    config = small_configuration("ner", test_data_path=str(test))
    runs = Runs(tmp_path / "runs")
    finish(runs, config)
    with pytest.raises(ConfigurationError, match=rf"{test}: '.-NEW' not found in vocab namespace"):
        runs.evaluate(config)


def test_unknown_metric(tmp_path: Path) -> None:
    config = small_configuration("sst5")
    finish(Runs(tmp_path), config)
    (archive,) = tmp_path.glob("*.tar.gz")
    config["trainer"]["validation_metric"] = "+accuracy3"
    with pytest.raises(ConfigurationError, match="expected one of accuracy, f1-measure-overall"):
        evaluate_archive(archive, config, "", "")


def _edit(file: Path, **changes: Any) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def _trained_and_scored(directory: Path, config: Configuration) -> tuple[Evaluation, Path, Path]:
    """Return the evaluation and the records of the training and of the evaluation."""
    runs = Runs(directory)
    finish(runs, config)
    evaluation = runs.evaluate(config)
    assert evaluation is not None
    (scored,) = directory.glob("*.test.json")
    (trained,) = set(directory.glob("*.json")) - {scored}
    return evaluation, trained, scored


def test_records_of_other_trainings_are_refused(tmp_path: Path) -> None:
    config, runs = small_configuration("sst5"), Runs(tmp_path)
    evaluation, trained, scored = _trained_and_scored(tmp_path, config)
    other = {"fingerprint": "0" * 64, "metric": "f1"}
    for file, find in ((scored, runs.evaluate), (trained, runs.find)):
        whole = file.read_text()
        for key, value in other.items():
            _edit(file, **{key: value})
            with pytest.raises(
                ConfigurationError, match=f"{file}: {key}: expected .* found {value}"
            ):
                find(config)
            file.write_text(whole)
    for changes in ({"score": evaluation.score + 1}, {"counts": [[1], [2], [3]]}):
        _edit(scored, **changes)
        with pytest.raises(ConfigurationError, match=f"{scored}: (score|counts): expected"):
            runs.evaluate(config)


def test_a_repeated_training_is_scored_again(tmp_path: Path) -> None:
    config, runs = small_configuration("sst5"), Runs(tmp_path)
    first, trained, scored = _trained_and_scored(tmp_path, config)
    ones = [[1] * len(column) for column in first.counts]
    _edit(scored, score=100.0, counts=ones)
    trained.unlink()
    finish(runs, config)
    assert runs.evaluate(config) == first


@pytest.mark.parametrize(
    "counts, stated, problem",
    [
        ([[30.0], [10.0]], 300.0, "counts: expected 0 to 10 in column 1 of text 1, found 30"),
        ([[0.0, 9.0], [20.0, 8.0]], 100 * 9 / 28, "0 to 8 in column 1 of text 2, found 9"),
        ([[-5.0, 6.0], [8.0, 8.0]], 6.25, "0 to 8 in column 1 of text 1, found -5"),
        ([[1e308, 1e308], [1e308, 1e308]], 77.0, "score"),
    ],
    ids=["above 100%", "one text", "negative", "counts that overflow"],
)
def test_impossible_scores_are_named(
    counts: list[list[float]], stated: float, problem: str, tmp_path: Path
) -> None:
    file = tmp_path / "ner-elmo-1.test.json"
    names = dict.fromkeys(("fingerprint", "data", "data_hash", "metric", "machine", "commit"), "a")
    content = {**names, "score": stated, "instances": 2, "counts": counts}
    file.write_text(json.dumps(content))
    with pytest.raises(ConfigurationError, match=f"{file}: .*{problem}"):
        read_evaluation(file)
    file.write_text(json.dumps({**content, "counts": [[1.0], [2.0]], "score": 50.0}))
    assert read_evaluation(file).score == 50
