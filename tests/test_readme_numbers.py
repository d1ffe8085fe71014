"""The speeds in README.md are those of results/."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SIZE = "cell / projection / filters"
SHAPES = {
    "training, 512 cells, projection 128, 384 filters": "512 / 128 / 384",
    "training, 1024 cells, projection 256, 512 filters": "1024 / 256 / 512",
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


def in_readme(label: str, peer: str) -> list[str]:
    (row,) = (row for row in rows(ROOT / "README.md") if row.get("") == label)
    return [row[f"{precision} / {peer}"] for precision in ("float32", "bfloat16")]


def measured(results: str, peer: str, expected: dict[str, str]) -> list[str]:
    """Return the ratios in float32 and bfloat16, rounded as in README."""
    ratios = {
        row["precision"]: f"{float(row[f'ratio to {peer}'].split()[0]):.1f}"
        for row in rows(ROOT / "results" / results)
        if expected.items() <= row.items()
    }
    return [ratios["float32"], ratios["bfloat16"]]


@pytest.mark.parametrize("label, shape", SHAPES.items())
def test_training_speeds_are_measured(label: str, shape: str) -> None:
    ratios = measured("training_speed.md", "AllenNLP's modules", {SIZE: shape})
    assert in_readme(label, "AllenNLP") == ratios
    assert in_readme(label, "simple_elmo") == ["", ""]  # it does not train


@pytest.mark.parametrize("peer", ["AllenNLP", "simple_elmo"])
@pytest.mark.parametrize("label, sentences", BATCHES.items())
def test_inference_speeds_are_measured(label: str, sentences: str, peer: str) -> None:
    expected = {SIZE: "4096 / 512 / 2048", "sentences": sentences, "word cache": "empty"}
    assert in_readme(label, peer) == measured("inference_speed.md", peer, expected)


def test_first_screen_has_the_speeds_of_the_comparison() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    (shown,) = re.findall(
        r"([\d.]+) times\]\(#comparison\) as fast as AllenNLP's and ([\d.]+) times as fast as "
        r"simple_elmo, all in float32, and ([\d.]+) and ([\d.]+) times in bfloat16",
        text,
    )
    label = next(iter(BATCHES))
    by_peer = [in_readme(label, peer) for peer in ("AllenNLP", "simple_elmo")]
    assert list(shown) == [ratio for precision in zip(*by_peer) for ratio in precision]
