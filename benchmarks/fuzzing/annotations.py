"""Labels and senses of tokens."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from elmo_plugin.data.labels import read_conllu, read_parallel
from elmo_plugin.data.senses import read_first_senses, read_senses
from fuzzing.damage_json import damage_json_lines
from fuzzing.kind import Wrong
from fuzzing.single_file import SingleFile


class Conllu(SingleFile):
    name, file = "CoNLL-U", "words.conllu"

    def run(self, rng: random.Random, directory: Path) -> None:
        for sentence in read_conllu(self.file, rng.choice(("upos", "xpos", "misc"))):
            _check_lengths(len(sentence.tokens), len(sentence.labels))


class LabelFiles(SingleFile):
    name, file = "labels beside text", "labels.txt"

    def write(self, directory: Path) -> None:
        super().write(directory)
        shutil.copy(self.material / "labelled.txt", directory)

    def run(self, rng: random.Random, directory: Path) -> None:
        for sentence in read_parallel("labelled.txt", self.file):
            _check_lengths(len(sentence.tokens), len(sentence.labels))


def _check_lengths(tokens: int, labels: int) -> None:
    if tokens != labels or not tokens:
        raise Wrong(f"{tokens} tokens with {labels} labels")


class SenseLines(SingleFile):
    name, file, ways = "senses", "senses.jsonl", (damage_json_lines,)

    def run(self, rng: random.Random, directory: Path) -> None:
        sentences, instances = read_senses(self.file)
        for one in instances:
            if not sentences[one.sentence][one.start : one.end]:
                raise Wrong(f"no tokens for {one}")


class FirstSenses(SingleFile):
    name, file = "index.sense", "index.sense"

    def run(self, rng: random.Random, directory: Path) -> None:
        read_first_senses(self.file)
