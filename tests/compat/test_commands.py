"""Devices, and AllenNLP's own commands, with today's torch."""

import json
import tarfile
from pathlib import Path

import pytest
import torch
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import int_to_device
from matplotlib import pyplot

from tests.helpers.command_line import elmo
from tests.helpers.untrained import write_bilm

ROOT = Path(__file__).parents[2]
# A task whose configuration names no test data, by a null.
CONFIG = ROOT / "training_configs/ner/baseline.jsonnet"


def test_numbers_mean_gpus() -> None:
    assert int_to_device(-1) == int_to_device(-2) == torch.device("cpu")
    assert int_to_device(3) == torch.device("cuda", 3)
    assert int_to_device(torch.device("cuda", 1)) == torch.device("cuda", 1)
    for number in (torch.cuda.device_count(), 127, 256, 2**64):
        with pytest.raises(ConfigurationError, match="GPU"):
            check_for_gpu(number)


def test_diff_compares_integer_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.txt").write_text("a b\n")
    write_bilm(tmp_path / "text.txt", tmp_path / "bilm")
    elmo(monkeypatch, "import", tmp_path / "bilm", tmp_path / "bilm.tar.gz")
    capsys.readouterr()
    elmo(monkeypatch, "diff", tmp_path / "bilm.tar.gz", tmp_path / "bilm.tar.gz")
    lines = capsys.readouterr().out.splitlines()
    assert any("softmax" in line for line in lines)
    assert not any("distance" in line for line in lines)


def test_vocabulary_of_a_task_without_test_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    elmo(monkeypatch, "build-vocab", CONFIG, tmp_path / "vocabulary.tar.gz")
    with tarfile.open(tmp_path / "vocabulary.tar.gz") as archive:
        file = archive.extractfile("tokens.txt")
        assert file is not None
        found = file.read().decode().splitlines()
    texts = [(ROOT / f"fixtures/ner/{part}.conll").read_text() for part in ("train", "dev")]
    words = {line.split()[0].lower() for text in texts for line in text.splitlines() if line}
    assert set(found) == {"@@UNKNOWN@@", *words}

    fewer = ("-o", '{"vocabulary": {"max_vocab_size": 7}}')
    elmo(monkeypatch, "build-vocab", CONFIG, tmp_path / "fewer.tar.gz", *fewer)
    with tarfile.open(tmp_path / "fewer.tar.gz") as archive:
        file = archive.extractfile("tokens.txt")
        assert file is not None and len(file.read().split()) == 7 + 1


def test_learning_rates_with_a_trainer_that_derives_from_allennlps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for trainer in ("resumable", "gradient_descent"):
        changes = {"trainer.type": trainer, "dataset_reader.max_instances": 20}
        command = ("find-lr", CONFIG, "-s", tmp_path / trainer, "-o", json.dumps(changes))
        elmo(monkeypatch, *command, "--num-batches", 11)  # the fewest
        pyplot.close()  # AllenNLP draws each plot over the last one
    plot, expected = tmp_path.glob("*/lr-losses.png")
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert plot.read_bytes() == expected.read_bytes()


def test_learning_rates_of_a_bilm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    changes = {"model.cell_dim": 8, "model.projection_dim": 4, "model.filters": [[1, 4]]}
    config = "training_configs/bilm/mini.jsonnet"
    command = ("find-lr", config, "-s", tmp_path / "run", "-o", json.dumps(changes))
    elmo(monkeypatch, *command, "--num-batches", 11)
    assert (tmp_path / "run" / "lr-losses.png").is_file()


def test_counting_instances_applies_overrides(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    elmo(monkeypatch, "count-instances", CONFIG, "-o", '{"dataset_reader.max_instances": 3}')
    assert "contains 3 instances" in capsys.readouterr().out
