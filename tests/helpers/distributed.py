"""Distributed trainings."""

from __future__ import annotations

TWO_PROCESSES = {"distributed": {"cuda_devices": [-1, -1]}, "data_loader.prefetch": 0}
