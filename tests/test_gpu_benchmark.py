"""benchmarks/gpu.sh where there is no GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.helpers.bilm_training import ROOT


@pytest.mark.skipif(torch.cuda.is_available(), reason="it would run")
def test_missing_gpu_is_reported(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [str(ROOT / "benchmarks" / "gpu.sh"), str(tmp_path / "out")],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and not done.stdout
    [line] = done.stderr.splitlines()
    assert "expected a GPU, found none" in line
    assert not (tmp_path / "out").exists()
