"""The table of benchmarks/perplexity.py, and the texts that cite it."""

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command_line import elmo

ROOT = Path(__file__).parents[1]
LINES = (ROOT / "fixtures" / "lm" / "heldout.txt").read_text().splitlines(keepends=True)
PARTS = {
    "first": slice(0, 6),
    "second": slice(6, 80),  # more than there are streams
    "train-1": slice(80, 110),
    "train-2": slice(110, 150),
}


def test_rows_are_those_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, part in PARTS.items():
        Path(name).write_text("".join(LINES[part]))
    arguments = ["first", "second", "--unigram", "train-1", "train-2", "--out", "table"]
    monkeypatch.setattr(sys, "argv", ["perplexity.py", *arguments])
    runpy.run_path(str(ROOT / "benchmarks" / "perplexity.py"), run_name="__main__")
    rows = json.loads(Path("table.json").read_text())["rows"]
    assert [(row["text"], row["initial state"]) for row in rows] == [
        (text, state) for text in ("first", "second") for state in ("zero", "carried")
    ]
    assert rows[2]["perplexity"] != rows[3]["perplexity"]
    capsys.readouterr()
    for row in (rows[0], rows[3]):  # both texts, both states
        state = ("--initial-state", row["initial state"])
        elmo(monkeypatch, "perplexity", row["text"], *state, "--unigram", "train-[12]", "--json")
        expected = json.loads(capsys.readouterr().out)
        found = {
            "perplexity": row["perplexity"],
            "forward_perplexity": row["forward"],
            "backward_perplexity": row["backward"],
            "unknown_words": row["unknown words (%)"] / 100,
            "unigram_perplexity": row["unigram model"],
        }
        assert found == pytest.approx(expected)
        text = Path(row["text"]).read_text()
        assert row["words and sentence ends"] == len(text.split()) + len(text.splitlines())


TEXTS = {"books and SQuAD": "lm/heldout.txt.gz", "Wikipedia": "lm/wiki/heldout.txt.gz"}


def row_of_results(results: str, text: str, state: str) -> dict[str, Any]:
    rows = json.loads((ROOT / "results" / f"{results}.json").read_text())["rows"]
    (row,) = [row for row in rows if (row["text"], row["initial state"]) == (text, state)]
    return row


@pytest.mark.parametrize("label, text", TEXTS.items())
@pytest.mark.parametrize(
    "folder, results", [("pretrained", "perplexity"), ("pretrained/large", "perplexity_large")]
)
def test_the_cards_give_the_perplexities_of_the_tables(
    folder: str, results: str, label: str, text: str
) -> None:
    zero, carried = (row_of_results(results, f"data/{text}", s) for s in ("zero", "carried"))
    card = (ROOT / "elmo_plugin" / folder / "README.md").read_text()
    (line,) = [line for line in card.splitlines() if f"perplexity, {label} |" in line]
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", line.split("|")[2])]
    expected = [zero[name] for name in ("perplexity", "forward", "backward", "unigram model")]
    expected += [zero["unknown words (%)"], carried["perplexity"]]
    assert numbers == [pytest.approx(value, abs=0.5 if value > 100 else 0.05) for value in expected]


@pytest.mark.parametrize("label, text", TEXTS.items())
def test_the_readme_gives_the_perplexities_of_the_table(label: str, text: str) -> None:
    found = row_of_results("perplexity", f"data/{text}", "zero")["perplexity"]
    readme = re.sub(r"\s+", " ", (ROOT / "README.md").read_text())
    assert f"{found:.1f} on {label}" in readme


def test_the_readme_gives_the_perplexity_of_the_large_bilm() -> None:
    found = row_of_results("perplexity_large", "data/lm/heldout.txt.gz", "zero")["perplexity"]
    readme = re.sub(r"\s+", " ", (ROOT / "README.md").read_text())
    assert f"perplexity {found:.1f} on books and SQuAD" in readme
