"""Layers and embedders on a device that is simulated: do all of their tensors get there?"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
import torch
import torch.utils.backend_registration as registration

from elmo_plugin.layers.fast.triton import can_fuse
from tests.helpers.bilm_training import ROOT


@pytest.mark.skipif(
    not hasattr(registration, "_setup_privateuseone_for_python_backend"),
    reason="needs a later PyTorch",
)
def test_tensors_are_on_the_device() -> None:
    # In a process of its own: the device stays registered.
    files = [f"tests/gpu/test_{name}.py" for name in ("layers", "embedding")]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", *files]
    environment = {**os.environ, "TEST_DEVICE": "simulated"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    counts = {outcome: int(n) for n, outcome in re.findall(r"(\d+) (passed|skipped)", done.stdout)}
    assert done.returncode == 0 and counts["passed"] > counts["skipped"], done.stdout[-3000:]


def test_kernels_of_gpus_take_no_tensors_of_the_cpu() -> None:
    assert not can_fuse(torch.float32, torch.zeros(1))
