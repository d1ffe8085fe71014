"""SIGTERM to `elmo train`."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common.plugins import import_plugins
from allennlp.models import load_archive
from allennlp.training.callbacks import TrainerCallback

from elmo_plugin.__main__ import main
from tests.helpers.distributed import TWO_PROCESSES, fork_trainings
from tests.helpers.interrupted_trainings import Interrupt, bilm, last_weights, weights
from tests.helpers.killed_training import heed_interrupts

import_plugins()


@TrainerCallback.register("terminate")
class Terminate(Interrupt):
    """Send SIGTERM to the command after a batch of the second epoch, and wait for the end."""

    command = 0

    def interrupt(self, is_primary: bool = True, **kwargs: Any) -> None:
        if is_primary:
            os.kill(self.command, signal.SIGTERM)
            time.sleep(60)


def run_elmo(log: Path, *arguments: str) -> None:
    sys.stdout = sys.stderr = log.open("w")
    sys.argv = ["elmo", *arguments]
    heed_interrupts()
    Terminate.active, Terminate.command = True, os.getpid()
    main()


@pytest.mark.parametrize("changes", [{}, TWO_PROCESSES], ids=["one process", "two processes"])
def test_archives_the_best_epoch_and_can_be_resumed(
    changes: dict[str, Any], text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork_trainings(monkeypatch)
    changes = {**changes, "trainer.callbacks": [{"type": "terminate", "batch": 5}]}
    config, folder, log = tmp_path / "config.json", tmp_path / "run", tmp_path / "log"
    bilm(text, **changes).to_file(str(config))
    command = multiprocessing.get_context("fork").Process(
        target=run_elmo, args=(log, "train", str(config), "-s", str(folder))
    )
    command.start()
    command.join(50)
    command.kill()
    assert command.exitcode == 1, log.read_text()[-3000:]
    assert log.read_text().splitlines()[-1] == "elmo: interrupted"
    archived, best = load_archive(folder / "model.tar.gz").model.state_dict(), weights(folder)
    assert all(torch.equal(archived[name], best[name]) for name in best)

    train_model(bilm(text, **changes), str(folder), recover=True)
    train_model(bilm(text, **changes), str(tmp_path / "whole"))
    found, expected = last_weights(folder), last_weights(tmp_path / "whole")
    assert all(torch.equal(found[name], expected[name]) for name in expected)
