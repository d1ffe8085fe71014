"""The speeds in README.md are those of results/."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHAPES = {
    "training, 512 cells, projection 128, 384 filters": "512 / 128 / 384",
    "training, 1024 cells, projection 128, 2,048 filters": "1024 / 128 / 2048",
}
BATCHES = {
    "inference, published size, batches of 128 sentences": "128",
    "the same, 16 sentences": "16",
    "the same, one sentence": "1",
}


def rows(file: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a file's tables."""
    header: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line[:1] == "|" else []
        if header and cells:
            yield dict(zip(header, cells))
        header = header or cells if cells else []


def in_readme(label: str) -> list[str]:
    (row,) = (row for row in rows(ROOT / "README.md") if row.get("") == label)
    return [row["float32"], row["bfloat16"]]


@pytest.mark.parametrize("label, shape", SHAPES.items())
def test_training_speeds_are_measured(label: str, shape: str) -> None:
    measured = rows(ROOT / "results" / "training_speed.md")
    (row,) = (row for row in measured if row["cell / projection / filters"] == shape)
    ratios = [row["ratio"], row["bfloat16, ratio"]]
    assert in_readme(label) == [f"{float(ratio):.1f}" for ratio in ratios]


@pytest.mark.parametrize("label, sentences", BATCHES.items())
def test_inference_speeds_are_measured(label: str, sentences: str) -> None:
    expected = {"cell / projection / filters": "4096 / 512 / 2048", "word cache": "empty"}
    ratios = {
        row["precision"]: f"{float(row['ratio']):.1f}"
        for row in rows(ROOT / "results" / "inference_speed.md")
        if row["sentences"] == sentences and expected.items() <= row.items()
    }
    assert in_readme(label) == [ratios["float32"], ratios["bfloat16"]]
