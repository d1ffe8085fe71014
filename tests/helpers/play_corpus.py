"""A corpus with the word `play` in two senses, and a query."""

from pathlib import Path

BILM = str(Path(__file__).parents[2] / "fixtures/bilm")
TEXT = [
    "The play on the field was spectacular .",
    "She wrote a play for the theatre .",
    "We play in the park .",
    "The play on the field was spectacular .",
    "A line\u2028separator and a no\u00a0break space",
    "It is late .",
]
QUERY = ["He", "saw", "a", "play", "at", "the", "theatre", "."]


def write_corpus(folder: Path) -> str:
    (folder / "corpus.txt").write_text("\n".join(TEXT) + "\n", encoding="utf-8")
    return str(folder / "corpus.txt")
