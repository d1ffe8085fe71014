"""The files that the commands of README.md read."""

from __future__ import annotations

import gzip
import json
import shutil
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
    for name in ("benchmarks", "results"):
        shutil.copytree(ROOT / name, directory / name)
    for name, content in FILES.items():
        (directory / name).write_text(content, encoding="utf-8")
    for block in jsonnet:
        if "lm: {" in block.text and "start::" not in block.text:
            (directory / "my-bilm.jsonnet").write_text(block.text, encoding="utf-8")
    write_texts(directory)
    write_bilm(FIXTURES / "lm" / "heldout.txt", directory / "my-bilm")


def write_texts(directory: Path) -> None:
    for folder in ("text", "data/lm", "data/pos", "data/wsd", "data/vectors"):
        (directory / folder).mkdir(parents=True)
    lines = [*islice((FIXTURES / "lm" / "train.txt").open(encoding="utf-8"), 60)]
    lines = [*lines, "They play in the garden .\n"]
    names = [f"data/lm/train-{i:02}-of-16.txt.gz" for i in range(16)]
    for name in ("text/train-1.txt.gz", "text/train-2.txt.gz", "text/heldout.txt.gz", *names):
        (directory / name).write_bytes(gzip.compress("".join(lines).encode()))
    for name in ("words.conllu", "en_ewt-ud-dev.conllu", "data/pos/en_ewt-ud-train.conllu"):
        (directory / name).write_text("".join(map(to_conllu, lines)), encoding="utf-8")
    shutil.copy(directory / "words.conllu", directory / "data/pos/en_ewt-ud-dev.conllu")
    senses = "".join(f"{json.dumps(line)}\n" for line in SENSES).encode()
    (directory / "senses.jsonl").write_bytes(senses)
    for part in ("train", "dev"):
        file = directory / "data" / "wsd" / f"semcor.{part}.jsonl.gz"
        file.write_bytes(gzip.compress(senses))
    vectors = (FIXTURES / "vectors" / "vectors.16d.txt").read_bytes()
    vectors += b"play" + b" 0.5" * 16 + b"\n"
    (directory / "data" / "vectors" / "vectors.books_wiki.100d.txt.gz").write_bytes(
        gzip.compress(vectors)
    )


def to_conllu(line: str) -> str:
    rows = enumerate(line.split(), start=1)
    label = {True: "NOUN", False: "VERB"}
    return (
        "".join(
            f"{i}\t{word}\t_\t{label[word[0].isupper()]}\t_\t_\t_\t_\t_\t_\n" for i, word in rows
        )
        + "\n"
    )
