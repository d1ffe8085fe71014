"""The files that the commands of README.md and of the pages in docs/ read."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path

from tests.helpers.readme import Block
from tests.helpers.readme_tables import FILES, ROOT
from tests.helpers.untrained import write_bilm

FIXTURES = ROOT / "fixtures"
SENSES = [
    {
        "tokens": tokens.split(),
        "senses": [{"start": 1, "end": 2, "lemma": "play", "pos": "n", "sense": sense}],
    }
    for tokens, sense in (("the play ends", "play%1:10:01::"), ("a play wins", "play%1:04:01::"))
]


def write_material(directory: Path, jsonnet: list[Block]) -> None:
    """Write everything but what a command of the README writes itself."""
    for name in ("training_configs", "fixtures"):
        (directory / name).symlink_to(ROOT / name)
    for name, content in FILES.items():
        (directory / name).write_text(content, encoding="utf-8")
    for block in jsonnet:
        if "lm: {" in block.text:
            (directory / "my-bilm.jsonnet").write_text(block.text, encoding="utf-8")
    write_texts(directory)
    write_bilm(FIXTURES / "lm" / "heldout.txt", directory / "my-bilm")


def write_texts(directory: Path) -> None:
    (directory / "text").mkdir()
    lines = [*islice((FIXTURES / "lm" / "train.txt").open(encoding="utf-8"), 60)]
    lines = [*lines, "They play in the garden .\n"]
    for name in ("train-1", "train-2", "heldout"):
        path = directory / "text" / f"{name}.txt.gz"
        path.write_bytes(gzip.compress("".join(lines).encode()))
    (directory / "words.conllu").write_text("".join(map(to_conllu, lines)), encoding="utf-8")
    senses = "".join(f"{json.dumps(line)}\n" for line in SENSES).encode()
    (directory / "senses.jsonl").write_bytes(senses)


def to_conllu(line: str) -> str:
    rows = enumerate(line.split(), start=1)
    label = {True: "NOUN", False: "VERB"}
    return (
        "".join(
            f"{i}\t{word}\t_\t{label[word[0].isupper()]}\t_\t_\t_\t_\t_\t_\n" for i, word in rows
        )
        + "\n"
    )
