"""Devices, and AllenNLP's own commands, with today's torch."""

import json
import tarfile
from pathlib import Path

import pytest
import torch
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import int_to_device

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


def test_learning_rates_for_a_task_without_test_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    # AllenNLP's command knows its own trainer only.
    changes = {"trainer.type": "gradient_descent", "dataset_reader.max_instances": 20}
    command = ("find-lr", CONFIG, "-s", tmp_path / "run", "-o", json.dumps(changes))
    elmo(monkeypatch, *command, "--num-batches", 11)  # the fewest
    assert (tmp_path / "run" / "lr-losses.png").read_bytes().startswith(b"\x89PNG")
