"""The benchmark of the recurrence on tiny layers."""

import json
import re
import runpy
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "recurrence_ablation.py"


def test_ablation_writes_a_row_per_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["--sizes", "16,8,4,5", "8,4,2,3", "--rounds", "2", "--out", str(tmp_path / "table")]
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *options])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    rows = json.loads((tmp_path / "table.json").read_text())["rows"]
    assert [row["cell / projection"] for row in rows] == ["16 / 8", "8 / 4"]
    assert [row["rows x steps"] for row in rows] == ["4 x 5", "2 x 3"]
    for row in rows:
        for column in (
            "plain loop, ms",
            "torch, ms",
            "compiled, ms",
            "torch, ratio",
            "compiled, ratio",
        ):
            assert re.fullmatch(r"[\d.]+ \([\d.]+ to [\d.]+\)", row[column])
