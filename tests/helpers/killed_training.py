"""Commands that train a tiny biLM, to be killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import torch

from tests.helpers.bilm_training import ROOT, checkpointed_params


def start(directory: Path, changes: dict[str, Any], node_rank: int = 0) -> subprocess.Popen[bytes]:
    config = directory.with_suffix(".json")
    checkpointed_params(changes).to_file(str(config))
    command = [sys.executable, "-m", "elmo_plugin", "train", str(config), "-s", str(directory)]
    command += ["--node-rank", str(node_rank)]
    log = open(directory.with_suffix(".log"), "ab")  # noqa: SIM115
    recover = ["--recover"] if directory.exists() else []
    return subprocess.Popen(
        [*command, *recover], cwd=ROOT, stdout=log, stderr=log, preexec_fn=heed_interrupts
    )


def heed_interrupts() -> None:
    # A shell has its background jobs ignore them, and what these start as well.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def curve(directory: Path) -> list[dict[str, Any]]:
    lines = (directory / "curve.jsonl").read_text().splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


def weights(directory: Path) -> dict[str, torch.Tensor]:
    return torch.load(directory / "best.th", weights_only=True)


def wait_for_line(directory: Path, process: subprocess.Popen[bytes], line: float) -> None:
    """Wait until a training in progress has written this many lines of its curve."""
    curve = directory / "curve.jsonl"
    deadline = time.time() + 120
    while not (curve.exists() and curve.read_text().count("\n") >= line):
        assert process.poll() is None, f"{curve}: the training ended before line {line}"
        assert time.time() < deadline, f"{curve}: expected line {line} in time"
        time.sleep(0.005)
