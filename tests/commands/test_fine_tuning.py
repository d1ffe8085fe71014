"""`elmo fine-tuning` on the fixtures' sentences, against perplexities computed afterwards."""

import json
import math
import re
import shutil
from pathlib import Path

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.text import iter_sentences
from elmo_plugin.experiments.intrinsic.domain_sentences import DOMAINS
from elmo_plugin.experiments.intrinsic.fine_tuning_configuration import read_perplexity
from elmo_plugin.experiments.intrinsic.perplexity import bilm_perplexity
from elmo_plugin.experiments.table7_fine_tuning import FineTuning
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.models.loading import load_bilm_from, load_language_model
from elmo_plugin.reporting.provenance import TRAINED_BY, code_version
from tests.helpers.command_line import elmo

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_perplexity_falls_on_every_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ner = tmp_path / "train.conll"
    shutil.copy(ROOT / "fixtures/ner/train.conll", ner)
    runs, out = tmp_path / "runs", tmp_path / "table"
    monkeypatch.chdir(ROOT)
    overrides = f"{{ paths+:: {{ ner+: {{ train: '{ner}' }} }} }}"
    command = ("fine-tuning", "--overrides", overrides, "--runs", runs, "--out", out)

    elmo(monkeypatch, *command)

    table = json.loads(out.with_suffix(".json").read_text())
    assert table["metadata"][TRAINED_BY] == code_version()
    rows = {row["text"]: row for row in table["rows"]}
    assert set(rows) == {"SNLI", "NER", "SQuAD contexts", "SQuAD questions", "SST"}
    for name, row in rows.items():
        run = runs / name.replace(" ", "_").lower()
        assert row["words"] == len(run.with_suffix(".train.txt").read_text().split())
        assert row["after one epoch"] < row["before"]
    run = runs / "sst"
    heldout = str(run.with_suffix(".dev.txt"))
    for column, bilm in (("before", "built-in"), ("after one epoch", str(run / "exported"))):
        found = bilm_perplexity(*load_language_model(bilm), iter_sentences(heldout))["perplexity"]
        assert rows["SST"][column] == pytest.approx(found, rel=1e-4)

    names = [name.replace(" ", "_").lower() for name in rows]
    # SQuAD's two texts are of the same files.
    origins = {(runs / name / "exported/origin.json").read_text() for name in names}
    assert len({json.dumps(json.loads(text)["origin"]) for text in origins}) == len(rows)

    # A task's embedder reads the fine-tuned biLM.
    ids = batch_to_ids([["The", "film", "is", "dull", "."]])
    layers = [load_bilm_from(path)(ids).layers for path in (str(run), str(run / "exported"))]
    assert torch.equal(*layers)

    # A second table names the code that trained.
    (runs / "sst.commits").write_text("commit 1234567\n")
    written = (run / "model.tar.gz").stat().st_mtime_ns
    elmo(monkeypatch, *command)
    found = json.loads(out.with_suffix(".json").read_text())["metadata"][TRAINED_BY]
    assert set(found.split(", ")) == {"commit 1234567", code_version()}
    assert (run / "model.tar.gz").stat().st_mtime_ns == written

    # A text that changes under the same name is another one.
    shutil.copy(ROOT / "fixtures/ner/dev.conll", ner)
    with pytest.raises(SystemExit, match=rf"runs/ner: .* contents of {ner}"):
        elmo(monkeypatch, *command)
    shutil.copy(ROOT / "fixtures/ner/train.conll", ner)

    # A biLM that changes its weights under the same name is another one.
    shutil.copytree(run / "exported", tmp_path / "bilm")
    (tmp_path / "bilm" / "origin.json").unlink()
    command = (*command, "--runs", tmp_path / "other", "--bilm", tmp_path / "bilm")
    elmo(monkeypatch, *command)
    shutil.copy(runs / "snli" / "exported" / "weights.hdf5", tmp_path / "bilm")
    with pytest.raises(SystemExit, match=r"other/snli: .* contents of \S*bilm"):
        elmo(monkeypatch, *command)


def test_home_directory_in_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    shutil.copytree(ROOT / "fixtures" / "ner", tmp_path / "ner")
    paths = "{ train: '~/ner/train.conll', dev: '~/ner/dev.conll' }"
    [ner] = (domain for domain in DOMAINS if domain.task == "ner")
    found = FineTuning(f"{{ paths+:: {{ ner+: {paths} }} }}").files(ner)
    assert found == {part: tmp_path / "ner" / f"{part}.conll" for part in ("train", "dev")}


def test_task_without_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit, match=r"TASK: expected some of ner, .*, got coref"):
        elmo(monkeypatch, "fine-tuning", "ner", "coref", "--runs", tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("value", [None, True, "12.5", math.nan, math.inf])
def test_metrics_without_a_perplexity(value: object, tmp_path: Path) -> None:
    metrics = tmp_path / "metrics.json"
    metrics.write_text(json.dumps({"best_validation_perplexity": 12.5}))
    assert read_perplexity(metrics) == 12.5
    metrics.write_text(json.dumps({"best_validation_perplexity": value}))
    message = f"{metrics}: best_validation_perplexity: expected a finite number, found {value!r}"
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        read_perplexity(metrics)


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (
            "sst5+: { dev: 'none' }",
            "sst5: validation_data_path: expected an existing file, found 'no",
        ),
        (
            "ner+: { train: 'fixtures' }",
            "ner: train_data_path: expected an existing file, found 'fi",
        ),
    ],
)
def test_missing_files_are_named_before_training(
    paths: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    overrides = f"{{ paths+:: {{ {paths} }} }}"
    with pytest.raises(SystemExit, match=message):
        elmo(monkeypatch, "fine-tuning", "--overrides", overrides, "--runs", tmp_path / "runs")
    assert not (tmp_path / "runs").exists()
