"""The numbers in the text of results/README.md are in the tables that it links to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

RESULTS = Path(__file__).parents[1] / "results"
LINK = re.compile(r"\[([^]]*)\]\(\.\./results/(\w+)\.md\)")
NUMBER = re.compile(r"(?<![\w.-])-?\d[\d,]*(?:\.\d+)?\b")
# Numbers that no table has: of the paper, of the configurations, and of tables in earlier commits.
OTHER_SOURCE = re.compile(
    r"\bpaper\b|maximum of [\d,]+ updates|PyTorch [\d.]+|\bcommits?\b|by mistake trained on both|"
    r"^By seed"
)
# Of a table: the scores of single seeds, and what the text does not state.
LEFT_OUT = re.compile(
    r"values|settings|digits|Command|Code|Date|Machine|Search|Statistics|SHA.*|"
    r"Trained and scored by"
)
DEVELOPMENT_QUESTIONS_OF_SQUAD = 10570


def text_of_results() -> str:
    return (RESULTS / "README.md").read_text(encoding="utf-8").partition("## What they show")[2]


def items() -> list[tuple[str, str]]:
    """Return the title of each item that links to tables, with its section, and the item."""
    items = []
    for section in re.split(r"^### ", text_of_results(), flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        for item in re.split(r"^- ", body, flags=re.MULTILINE)[1:]:
            line = " ".join(item.split())
            found = re.match(r"\*\*\[(.*?)\]\(", line)
            if found and heading != "Baselines and controls":
                items.append((f"{heading}: {found[1]}", line))
    return items


def sentences(item: str) -> Iterator[str]:
    """Yield the sentences and clauses whose numbers are those of the tables."""
    text = LINK.sub(r"\1", item.partition(".** ")[2])
    for sentence in re.split(r"(?<=[.;]) ", text):
        if not OTHER_SOURCE.search(sentence):
            yield sentence


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = [inner for key, inner in value.items() if not LEFT_OUT.fullmatch(key)]
    if isinstance(value, list):
        for element in value:
            yield from numbers_in(element)
    elif isinstance(value, str):
        yield from (float(number.replace(",", "")) for number in NUMBER.findall(value))
    elif value is not None:
        yield abs(float(value))


def is_rounded(shown: str, exact: float) -> bool:
    """Return whether a number is shown as the text does, without its sign."""
    decimals = len(shown.partition(".")[2])
    return abs(abs(float(shown.replace(",", ""))) - abs(exact)) <= 0.5001 * 10**-decimals


@pytest.mark.parametrize("title, item", items(), ids=[title for title, _ in items()])
def test_numbers_are_those_of_the_tables(title: str, item: str) -> None:
    tables = [RESULTS / f"{name}.json" for _, name in LINK.findall(item)]
    exact = [
        DEVELOPMENT_QUESTIONS_OF_SQUAD,
        *(number for table in tables for number in numbers_in(json.loads(table.read_text()))),
    ]
    shown = [number for sentence in sentences(item) for number in NUMBER.findall(sentence)]
    assert shown
    assert [one for one in shown if not any(is_rounded(one, number) for number in exact)] == []


def test_scores_of_single_seeds() -> None:
    (shown,) = re.findall(
        r"By seed, the baseline has (.+?), ELMo (.+?):", " ".join(text_of_results().split())
    )
    (row,) = json.loads((RESULTS / "sst5_phrases.json").read_text())["rows"]
    for scores, system in zip(shown, ("baseline", "with ELMo"), strict=True):
        for score, exact in zip(NUMBER.findall(scores), row[system]["values"], strict=True):
            assert is_rounded(score, exact)


def test_most_items_are_checked() -> None:
    titles = {title for title, _ in items()}
    assert len(titles) == len(items())
    tasks = ("SQuAD", "SNLI", "Semantic role labeling", "Coreference", "NER", "SST-5")
    assert all(any(title.startswith(f"{task}: Table 1") for title in titles) for task in tasks)
