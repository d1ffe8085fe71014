"""Sentences to time: of CoNLL-U, of text, or generated where there is neither."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path

from elmo_plugin.common.text import iter_sentences

_LETTERS = "etaoinshrdlucmfwygpbvkxqjz"
_WORDS = 50_000
_MEAN_WORDS = 20


def read(path: str, number: int | None = None) -> list[list[str]]:
    """The first sentences of a CoNLL-U file, or of text with one tokenized sentence per line."""
    sentences = _read_conllu(Path(path)) if path.endswith(".conllu") else iter_sentences(path)
    return list(islice(sentences, number))


def _read_conllu(path: Path) -> Iterator[list[str]]:
    """Words of each sentence; contractions as their syntactic words."""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        yield [row[1] for row in rows if row[0].isdigit()]


def write_generated(path: Path, sentences: int) -> None:
    """
    Write sentences whose words are as frequent as in text (Zipf's law), about 20 words each.
    Frequent words are short.
    """
    rng = random.Random(0)
    lengths = [max(1, round(rng.gauss(1 + len(str(rank)) * 1.4, 1.5))) for rank in range(_WORDS)]
    vocabulary = ["".join(rng.choices(_LETTERS, k=length)) for length in lengths]
    weights = list(accumulate(1 / (rank + 2) for rank in range(_WORDS)))
    with path.open("w", encoding="utf-8") as file:
        for _ in range(sentences):
            number = 1 + min(round(rng.expovariate(1 / (_MEAN_WORDS - 1))), 100)
            file.write(" ".join(rng.choices(vocabulary, cum_weights=weights, k=number)) + "\n")
