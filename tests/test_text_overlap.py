"""Share of the tasks' text that a biLM has read."""

import json
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINE = "{name} 0 {number} {word} XX - - - - - * -\n"


def test_sequences_that_are_also_in_the_text_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eight = ["The", "old", "clock", ",", "which", "never", "stopped", ",", "struck", "nine", "!"]
    other = ["Nobody", "in", "the", "village", "knew", "what", "the", "noise", "might", "be", "."]
    novels = tmp_path / "novels.gold_conll"
    novels.write_text(document("read", eight) + document("unread", other))
    # Seven of the eight words, one of its two sequences.
    text = tmp_path / "text.txt"
    text.write_text("Only this .\nOLD CLOCK which never-stopped struck nine\nthe old clock\n")
    monkeypatch.chdir(ROOT)
    overrides = f"{{ paths+:: {{ coref+: {{ test: '{novels}' }} }} }}"
    outputs = ["--out", str(tmp_path / "table"), "--draft"]
    argv = ["text_overlap.py", str(text), "--overrides", overrides, *outputs]
    monkeypatch.setattr(sys, "argv", argv)

    runpy.run_path(str(ROOT / "benchmarks" / "text_overlap.py"), run_name="__main__")

    rows = json.loads((tmp_path / "table.json").read_text())["rows"]
    found = {(row["task"], row["part"], row["document"]): row for row in rows}
    shares = {key: (row["sequences"], row["in the biLM's text (%)"]) for key, row in found.items()}
    assert shares["coref", "test", "read"] == (2, 50)
    assert shares["coref", "test", "unread"] == (4, 0)
    assert shares["coref", "test", ""] == (6, pytest.approx(100 / 6))
    assert {key[0] for key in shares} == {"squad", "snli", "srl", "coref", "ner", "sst5"}


def document(name: str, words: list[str]) -> str:
    """Return a document of CoNLL-2012 with one sentence."""
    lines = "".join(LINE.format(name=name, number=i, word=word) for i, word in enumerate(words))
    return f"#begin document ({name}); part 000\n{lines}\n#end document\n"
