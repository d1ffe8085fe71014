"""
The device of these tests: a GPU, or what the environment variable TEST_DEVICE names: "cpu", or
"simulated" for tests.helpers.simulated_device.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(scope="session")
def device() -> Iterator[torch.device]:
    name = os.environ.get("TEST_DEVICE", "cuda:0")
    if name != "simulated":
        yield torch.device(name)
        return
    from tests.helpers.simulated_device import DEVICE, SimulatedDevice

    with SimulatedDevice():
        yield DEVICE


@pytest.fixture(scope="session")
def cuda_device(device: torch.device) -> int:
    """The device's number in configurations and commands."""
    if device.type == "simulated":
        pytest.skip("for GPUs and the CPU")
    return -1 if device.index is None else device.index
