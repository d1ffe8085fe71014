"""`elmo controls` and `elmo simple-baselines`, on small trainings."""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier

from elmo_plugin.commands.controls import add_arguments
from elmo_plugin.experiments.controls import LAYER_0, RANDOM, WIDE, systems
from elmo_plugin.experiments.runner.model_sizes import (
    MAX_HIDDEN_SIZE,
    hidden_size_matching_elmo,
    smallest_hidden_size,
)
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.weights import load_bilm
from tests.helpers.task_comparisons import NER, OVERRIDES, ROOT, run_comparison

FILES = "options_file: 'fixtures/bilm/options.json', weight_file: 'fixtures/bilm/weights.hdf5'"
PATHS = (
    f"{{ paths+:: {{ bilm: {{ {FILES}, dim: 64 }}, "
    "ner+: { test: 'fixtures/ner/dev.conll' }, srl+: { test: 'fixtures/srl/dev' }, "
    "coref+: { test: 'fixtures/coref/dev.gold_conll' }, sst5+: { test: 'fixtures/sst5/dev.txt' }, "
    "snli+: { test: 'fixtures/snli/dev.jsonl' }, squad+: { test: 'fixtures/squad/dev.json' } } }"
)
SST5 = """{
    sizes+:: { hidden: 4, output: [6, 5] }, trainer+: { num_epochs: 1 }, phrases:: false,
    other_bilms:: { 'the same again': $.paths.bilm },
}"""


@pytest.fixture(scope="module")
def sst5(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("controls")
    with pytest.MonkeyPatch.context() as patch:
        command = ("controls", "sst5", "--seeds", 1, 2)
        table = run_comparison(patch, folder, *command, overrides=f"{PATHS} + {SST5}")
    assert table["metadata"]["Configurations"] == {
        "sst5/baseline.jsonnet": ["baseline", WIDE],
        "sst5/elmo.jsonnet": [RANDOM, LAYER_0, "ELMo, the same again", "ELMo"],
    }
    bilms = table["metadata"]["biLM"]
    assert "random" in bilms.pop(RANDOM) and set(bilms.values()) == {"fixtures/bilm/weights.hdf5"}
    return folder, {row["system"]: row for row in table["rows"]}


def test_rows_are_simple_baselines_and_controls(sst5: tuple[Path, dict[str, Any]]) -> None:
    _, rows = sst5
    assert list(rows) == [
        *(
            "majority class",
            "bag of words",
            "baseline",
            "baseline with at least ELMo's number of parameters",
        ),
        *(
            "ELMo, random biLM with standardized token layer",
            "ELMo, token layer only",
            "ELMo, the same again",
            "ELMo",
        ),
    ]
    for name, row in rows.items():
        gain, p = (row[f"ELMo vs. this system: {column}"] for column in ("gain", "p"))
        if name == "ELMo":
            assert gain is None and p is None
        else:
            means = [
                score["mean"] if isinstance(score := one["accuracy"], dict) else score
                for one in (row, rows["ELMo"])
            ]
            assert gain == pytest.approx(means[1] - means[0])
            assert 0 < p["p"] <= 1
    # Another name of the same biLM is the same training.
    assert rows["ELMo, the same again"]["accuracy"] == rows["ELMo"]["accuracy"]
    assert rows["ELMo, the same again"]["ELMo vs. this system: p"] == {"p": 1}


def test_only_some_systems(
    sst5: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, rows = sst5
    name = "ELMo, the same again"
    command = ("controls", "sst5", "--seeds", 1, 2, "--systems", name)
    table = run_comparison(monkeypatch, folder, *command, overrides=f"{PATHS} + {SST5}")
    expected = ["majority class", "bag of words", "baseline", name, "ELMo"]
    assert table["rows"] == [rows[system] for system in expected]


def test_help_names_the_systems() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    shown = " ".join(parser.format_help().split())
    assert all(repr(name) in shown for name in (RANDOM, LAYER_0, WIDE))


def test_unknown_systems_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    command = ("controls", "sst5", "--systems", "the same again")
    with pytest.raises(SystemExit, match=r"--systems: .* 'ELMo, the same .* \['the same"):
        run_comparison(monkeypatch, tmp_path, *command, overrides=f"{PATHS} + {SST5}")


def test_controls_have_the_shape_of_elmo(sst5: tuple[Path, dict[str, Any]]) -> None:
    folder, rows = sst5
    size = "trainable parameters (first seed)"
    # A fixed layer has no weights to learn.
    assert rows["ELMo, token layer only"][size] == rows["ELMo"][size] - 3
    assert rows["ELMo, random biLM with standardized token layer"][size] == rows["ELMo"][size]
    assert rows["baseline"][size] < rows["ELMo"][size]
    assert rows["baseline with at least ELMo's number of parameters"][size] >= rows["ELMo"][size]
    mixes = [
        json.loads(file.read_text())["mixes"][0][1]
        for file in (folder / "runs").glob("sst5-ELMo-token-layer-only-?-*[0-9a-f].json")
    ]
    assert mixes == [[1, 0, 0]] * 2


def test_each_seed_has_a_random_bilm_of_its_own(sst5: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = sst5
    first, second = (
        load_bilm(path / "options.json", path / "weights.hdf5")
        for path in sorted((folder / "runs").glob("standardized-random-bilm-*"))
    )
    assert first.config == second.config
    assert not torch.equal(
        first.token_encoder.projection.weight, second.token_encoder.projection.weight
    )


def test_wide_baseline_is_the_smallest_that_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    import_plugins()
    paths = [str(NER / f"{name}.jsonnet") for name in ("baseline", "elmo")]
    hidden = hidden_size_matching_elmo(*paths, OVERRIDES)
    # An LSTM of 8 cells reads 64 dimensions more in both directions, and a mix has 4 numbers.
    added = 2 * 4 * 8 * 64 + 4

    def baseline(size: int) -> int:
        """Parameters of the first biLSTM, and those of the second that depend on its input."""
        first = 2 * 4 * (size * (16 + 128) + size * size + 2 * size)
        return first + 2 * 4 * 100 * 2 * size

    assert baseline(hidden) >= baseline(8) + added > baseline(hidden - 1)


@given(wanted=st.integers(1, 5000), low=st.integers(1, 4096))
def test_smallest_hidden_size(wanted: int, low: int) -> None:
    found = smallest_hidden_size(lambda size: size >= wanted, low)
    assert found == (max(wanted, low) if wanted <= MAX_HIDDEN_SIZE else None)


def test_only_the_wide_baseline_needs_sizes(tmp_path: Path) -> None:
    config = tmp_path / "baseline.jsonnet"
    config.write_text("{ model: {} }")
    paths, settings = [str(config)] * 2, Settings(runs=str(tmp_path))
    found = systems("ner", *paths, settings, ["ELMo, token layer only"])
    assert list(found) == ["baseline", "ELMo, token layer only", "ELMo"]
    with pytest.raises(ConfigurationError, match=r"sizes\.hidden: expected an integer"):
        systems("ner", *paths, settings)


def test_configurations_without_sizes(tmp_path: Path) -> None:
    config = tmp_path / "baseline.jsonnet"
    config.write_text("{ model: {} }")
    with pytest.raises(ConfigurationError, match=r"baseline\.jsonnet: sizes\.hidden: expected an"):
        hidden_size_matching_elmo(str(config), str(config), "{}")


def _gold(line: str) -> str:
    label: str = json.loads(line)["gold_label"]
    return label


def test_simple_baselines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"train": tmp_path / "train.jsonl", "dev": tmp_path / "test.jsonl"}
    for part, file in files.items():
        # Keep all entailments and a quarter of the other pairs.
        lines = (ROOT / "fixtures" / "snli" / f"{part}.jsonl").read_text().splitlines()
        kept = [line for i, line in enumerate(lines) if '"entailment"' in line or i % 4 == 0]
        file.write_text("\n".join(kept) + "\n")
    snli = f"snli+: {{ train: '{files['train']}', test: '{files['dev']}' }}"
    overrides = f"{PATHS} + {{ paths+:: {{ {snli} }} }}"
    table = run_comparison(monkeypatch, tmp_path, "simple-baselines", overrides=overrides)
    rows = {(row["task"], row["simple baseline"]): row["test score"] for row in table["rows"]}
    assert len(rows) == 3 + 2 + 1 + 2 + 1 + 1

    instances = {row["task"]: row["scored on"] for row in table["rows"]}
    documents = (ROOT / "fixtures" / "coref" / "dev.gold_conll").read_text()
    assert instances["Coref"] == documents.count("#begin document")

    train, test = (
        [label for line in file.read_text().splitlines() if (label := _gold(line)) != "-"]
        for file in files.values()
    )
    assert train.count("entailment") > len(train) / 2
    dummy = DummyClassifier(strategy="most_frequent").fit(numpy.zeros(len(train)), train)
    expected = 100 * dummy.score(numpy.zeros(len(test)), test)
    assert rows["SNLI", "majority class"] == pytest.approx(expected)
    # The made-up hypotheses of each label have words of their own.
    assert rows["SNLI", "bag of words"] > rows["SNLI", "majority class"]
    assert rows["SST-5", "bag of words"] > rows["SST-5", "majority class"]
    assert all(rows[task, name] > 0 for task, name in rows)


def test_simple_baselines_without_names_are_those_with_test_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sst5 = "sst5+: { test: 'fixtures/sst5/dev.txt' }, snli+: { test: 'missing.jsonl' }"
    overrides = f"{{ paths+:: {{ {sst5} }} }}"
    table = run_comparison(monkeypatch, tmp_path, "simple-baselines", overrides=overrides)
    assert {row["task"] for row in table["rows"]} == {"SST-5"}
    error = capsys.readouterr().err
    assert "snli is left out: expected test data, found missing.jsonl" in error
    assert "squad is left out: expected test data, found None" in error
    with pytest.raises(SystemExit, match="paths: expected test data of a task"):
        run_comparison(monkeypatch, tmp_path, "simple-baselines", overrides="{}")


def test_simple_baselines_have_the_metric_of_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The rules answer with the whole name.
    answer = {"text": "Brown", "answer_start": 5}
    question = {"id": "q", "question": "Who slept?", "answers": [answer]}
    article = {"title": "", "paragraphs": [{"context": "Ruth Brown slept.", "qas": [question]}]}
    (tmp_path / "test.json").write_text(json.dumps({"data": [article]}))
    paths = f"{{ paths+:: {{ squad+: {{ test: '{tmp_path}/test.json' }} }} }}"
    for metric, title, expected in (("f1", "F1", 200 / 3), ("em", "EM", 0)):
        overrides = f"{paths} + {{ trainer+: {{ validation_metric: '+{metric}' }} }}"
        table = run_comparison(
            monkeypatch, tmp_path, "simple-baselines", "squad", overrides=overrides
        )
        assert table["rows"][0]["score"] == title
        assert table["rows"][0]["test score"] == pytest.approx(expected)


def test_simple_baselines_are_compared_with_the_finished_model(
    sst5: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, controls = sst5
    overrides = f"{PATHS} + {SST5} + {{ seeds:: [1, 2] }}"
    table = run_comparison(monkeypatch, folder, "simple-baselines", "sst5", overrides=overrides)
    mean = controls["baseline"]["accuracy"]["mean"]
    for row in table["rows"]:
        gain, p = (row[f"model's baseline vs. this: {column}"] for column in ("gain", "p"))
        assert gain == pytest.approx(mean - row["test score"])
        assert 0 < p["p"] <= 1
        assert row["test score"] == pytest.approx(controls[row["simple baseline"]]["accuracy"])
    assert table["metadata"]["Trained and scored by"]


def test_tasks_name_the_best_simple_baseline(
    sst5: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, controls = sst5
    overrides = f"{PATHS} + {SST5} + {{ seeds:: [1, 2] }}"
    [row] = run_comparison(monkeypatch, folder, "tasks", "sst5", overrides=overrides)["rows"]
    simple = {name: controls[name]["accuracy"] for name in ("majority class", "bag of words")}
    best = max(simple, key=lambda name: simple[name])
    assert row["best simple baseline"] == f"{simple[best]:.2f} ({best})"
    assert row["part"] == "test"


def test_unknown_task_or_no_test_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match=r"TASK: expected some of squad, .*, sst5, got pos"):
        run_comparison(monkeypatch, tmp_path, "simple-baselines", "pos")
    with pytest.raises(SystemExit, match=r"paths\.sst5\.test: expected test data"):
        run_comparison(monkeypatch, tmp_path, "simple-baselines", "sst5", overrides="{}")
