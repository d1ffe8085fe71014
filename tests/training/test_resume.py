"""Killed and resumed training runs equal uninterrupted ones."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common.plugins import import_plugins

from elmo_plugin.training.checkpointer import AtomicCheckpointer
from tests.helpers.bilm_training import ROOT, checkpointed_params
from tests.helpers.distributed import TWO_PROCESSES
from tests.helpers.killed_training import curve, start, wait_for_line, weights

import_plugins()


SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        pytest.param({}, 1, id="one process"),
        pytest.param({}, 10, id="one process, ten times", marks=pytest.mark.slow),
        pytest.param(TWO_PROCESSES, 10, id="two processes, ten times", marks=pytest.mark.slow),
    ],
)
def test_killed_training_equals_uninterrupted_training(
    changes: dict[str, Any], times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    # Long enough not to end before it is killed.
    batches = 20 * (times + 1)
    changes = {**changes, "data_loader.batches_per_epoch": batches}
    train_model(checkpointed_params(changes), str(whole))

    moments = random.Random(times)
    lines = len(curve(whole))
    assert lines == 2 * (batches + 1)
    for number in range(times):
        process = start(killed, changes)
        wait_for_line(killed, process, (number + moments.random()) / (times + 1) * lines)
        time.sleep(0.05 * moments.random())
        process.send_signal(SIGNALS[number % len(SIGNALS)])
        assert process.wait() != 0
    assert start(killed, changes).wait() == 0, (tmp_path / "killed.log").read_text()[-3000:]

    assert curve(killed) == curve(whole)
    assert {file.name for file in killed.iterdir()} == {file.name for file in whole.iterdir()}
    first, second = weights(whole), weights(killed)
    assert all(torch.equal(first[name], second[name]) for name in first)
    for epoch in range(2):
        assert _epoch_metrics(killed, epoch) == _epoch_metrics(whole, epoch)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("killed", "number"),
    [
        ("the command", signal.SIGKILL),
        ("the command", signal.SIGTERM),
        ("one of its processes", signal.SIGKILL),
    ],
)
def test_killed_training_leaves_no_process(
    killed: str, number: signal.Signals, tmp_path: Path
) -> None:
    """Also where interrupts are ignored, as for background jobs of a shell."""
    changes = {**TWO_PROCESSES, "data_loader.prefetch": 16, "data_loader.batch_size": 64}
    changes["data_loader.batches_per_epoch"] = 10_000
    config = tmp_path / "config.json"
    checkpointed_params(changes).to_file(str(config))
    command = [sys.executable, "-m", "elmo_plugin", "train", str(config), "-s"]
    log = open(tmp_path / "log", "wb")  # noqa: SIM115
    process = subprocess.Popen(
        [*command, str(tmp_path / "run")],
        cwd=ROOT,
        stdout=log,
        stderr=log,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    wait_for_line(tmp_path / "run", process, 20)
    started = [pid for pid in _session(process.pid) if pid != process.pid]
    # Two that train, two that make batches, and the one of multiprocessing that cleans up.
    assert len(started) == 5, (tmp_path / "log").read_text()[-3000:]
    os.kill(process.pid if killed == "the command" else max(started[:3]), number)
    assert process.wait(timeout=60) != 0
    deadline = time.time() + 30
    while _session(process.pid) and time.time() < deadline:
        time.sleep(0.1)
    assert _session(process.pid) == []


def _session(leader: int) -> list[int]:
    """Processes of a session, in the order in which they were started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(stat.parent.name))
    return sorted(found)


def _epoch_metrics(directory: Path, epoch: int) -> dict[str, Any]:
    metrics = json.loads((directory / f"metrics_epoch_{epoch}.json").read_text())
    return {k: v for k, v in metrics.items() if "memory" not in k and "duration" not in k}


def checkpoints(directory: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in directory.glob("*_state_e*.th")}


class TestCheckpointer:
    @pytest.fixture
    def trained(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(ROOT)
        train_model(checkpointed_params({"trainer.num_epochs": 1}), str(tmp_path / "run"))
        return tmp_path / "run"

    def test_checkpoint_with_one_file_is_incomplete(self, trained: Path) -> None:
        checkpointer = AtomicCheckpointer(trained)
        latest = checkpointer.find_latest_checkpoint()
        assert latest is not None
        later = [Path(path.replace("_e1_", "_e2_")) for path in latest]
        later[0].write_bytes(Path(latest[0]).read_bytes())
        assert checkpointer.find_latest_checkpoint() == latest
        later[1].write_bytes(Path(latest[1]).read_bytes())
        assert checkpointer.find_latest_checkpoint() == (str(later[0]), str(later[1]))

    def test_full_disk_loses_no_checkpoint(self, trained: Path, tmp_path: Path) -> None:
        """A limit of the file size simulates a full disk."""
        (trained / "metrics.json").unlink()  # as if it had been interrupted
        before = checkpoints(trained)
        assert before
        longer = checkpointed_params({})
        longer.to_file(str(trained / "config.json"))
        longer.to_file(str(tmp_path / "run.json"))
        train = ["train", str(tmp_path / "run.json"), "-s", str(trained), "--recover"]
        limit = "import resource, runpy, signal, sys; sys.argv = sys.argv[1:]; "
        limit += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)); "
        limit += "runpy.run_module('elmo_plugin', run_name='__main__')"
        limited = subprocess.run(
            [sys.executable, "-c", limit, "elmo", *train], cwd=ROOT, capture_output=True, text=True
        )
        assert limited.returncode != 0
        error = limited.stderr.splitlines()[-1]
        assert error.startswith(f"elmo: error: {trained}/") and error.endswith("File too large")
        assert "Traceback" not in limited.stderr
        assert checkpoints(trained) == before
        train_model(checkpointed_params({}), str(trained), recover=True)
        assert (trained / "metrics_epoch_1.json").exists()
