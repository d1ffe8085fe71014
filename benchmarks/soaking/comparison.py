"""Comparing a killed and resumed training with an uninterrupted one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from soaking.training import Training


def differences(killed: Training, uninterrupted: Training) -> Iterator[str]:
    """Describe differences from the uninterrupted training."""
    for content in (_weights, _curve, _metrics, _words):
        found, expected = content(killed.folder), content(uninterrupted.folder)
        if found != expected:
            yield f"{content.__name__.strip('_')} differ"
    names, expected_names = (
        {path.name for path in training.folder.rglob("*")} for training in (killed, uninterrupted)
    )
    if names != expected_names:
        yield f"files differ: {', '.join(sorted(names ^ expected_names))}"


def _weights(folder: Path) -> dict[str, Any]:
    state = torch.load(folder / "best.th", "cpu", weights_only=True)
    return {name: (weight.shape, weight.numpy().tobytes()) for name, weight in state.items()}


def _curve(folder: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, (folder / "curve.jsonl").read_text().splitlines())
    return [{k: v for k, v in line.items() if k != "seconds"} for line in lines]


def _metrics(folder: Path) -> dict[str, Any]:
    """Return the metrics without those of time and memory."""
    contents = {file.name: json.loads(file.read_text()) for file in folder.glob("metrics*.json")}
    return {
        name: {k: v for k, v in content.items() if "duration" not in k and "memory" not in k}
        for name, content in contents.items()
    }


def _words(folder: Path) -> str:
    return (folder / "vocabulary" / "bilm.txt").read_text()
