"""Training on several machines, which are all this one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch

from tests.helpers.distributed import two_machines
from tests.helpers.killed_training import curve, start, wait_for_line, weights

KEPT = 2  # checkpoints, in the configuration


@pytest.mark.slow
def test_killed_training_on_two_machines_equals_uninterrupted_training(tmp_path: Path) -> None:
    folders = {
        run: [tmp_path / run / str(rank) for rank in range(2)] for run in ("whole", "killed")
    }

    changes = two_machines()

    def start_both(run: str) -> list[subprocess.Popen[bytes]]:
        (tmp_path / run).mkdir(exist_ok=True)
        return [start(folder, changes, rank) for rank, folder in enumerate(folders[run])]

    assert [process.wait() for process in start_both("whole")] == [0, 0]
    for line in (10, 50):
        processes = start_both("killed")
        wait_for_line(folders["killed"][0], processes[0], line)
        for process in processes:
            process.kill()
            process.wait()
    assert [process.wait() for process in start_both("killed")] == [0, 0]
    for rank in range(2):
        whole, killed = folders["whole"][rank], folders["killed"][rank]
        assert curve(killed) == curve(whole)
        first, second = weights(whole), weights(killed)
        assert all(torch.equal(first[name], second[name]) for name in first)
        assert len(list(killed.glob("model_state_*.th"))) == KEPT

    # The second machine has lost its newest checkpoint.
    for folder in folders["killed"]:
        (folder / "metrics.json").unlink()
    lost = max(
        folders["killed"][1].glob("training_state_*.th"), key=lambda file: file.stat().st_mtime
    )
    lost.unlink()
    assert 0 not in [process.wait() for process in start_both("killed")]
    for folder in folders["killed"]:
        assert "expected the same newest checkpoint" in folder.with_suffix(".log").read_text()
