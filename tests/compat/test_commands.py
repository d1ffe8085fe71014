"""Devices, and AllenNLP's own commands, with today's torch."""

from pathlib import Path

import pytest
import torch
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import int_to_device

from tests.helpers.command_line import elmo
from tests.helpers.untrained import write_bilm


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
