"""The README's scores are those of results/six_tasks.json and results/controls_ner.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SECTION = re.compile(r"^## Six tasks.*?(?=^## )", re.MULTILINE | re.DOTALL)
# The README has one digit, of numbers that the tables give with two or more.
PRECISION = 0.051


def section() -> str:
    found = SECTION.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found
    return found[0]


def results(name: str) -> list[dict[str, Any]]:
    return json.loads((ROOT / "results" / f"{name}.json").read_text())["rows"]


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text.replace(",", ""))]


def test_table_of_the_six_tasks() -> None:
    _, _, *shown = [line for line in section().splitlines() if line.startswith("|")]
    for line, row in zip(shown, results("six_tasks"), strict=True):
        *_, size, seeds, before, after, gain, p = line.strip("| ").split(" | ")
        assert (numbers(size), int(seeds)) == ([row["trained on"]], row["seeds"])
        for score, column in ((before, "baseline"), (after, "with ELMo")):
            expected = [row[column]["mean"], row[column]["sd"]]
            assert numbers(score) == pytest.approx(expected, abs=PRECISION)
        expected = [row["gain"], *numbers(row["95 % interval of the gain"])]
        assert numbers(gain) == pytest.approx(expected, abs=PRECISION)
        assert numbers(p) == pytest.approx([float(row["p"])], abs=0.0005)


def test_controls_of_ner() -> None:
    sentence = section()[section().index("In NER") :]
    shown = numbers(sentence[sentence.index("(results/controls_ner.md)") :])
    scores = [row["F1"]["mean"] for row in results("controls_ner")]
    _, more_parameters, random, token_layer, _ = scores
    assert shown[:-1] == pytest.approx([random, token_layer, more_parameters], abs=PRECISION)
    values = [float(row["ELMo vs. this system: p"]) for row in results("controls_ner")[1:4]]
    assert values == [pytest.approx(shown[-1])] * 3
