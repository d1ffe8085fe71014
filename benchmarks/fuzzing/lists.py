"""Word vectors, CoVe, labels, senses, corpus indexes, tables, and finished trainings."""

from __future__ import annotations

import json
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy
import torch

from elmo_plugin.data.labels import read_conllu, read_parallel
from elmo_plugin.data.senses import read_first_senses, read_senses
from elmo_plugin.data.static_vectors import read_static_vectors
from elmo_plugin.experiments.intrinsic.corpus_index import CorpusIndex
from elmo_plugin.weights.cove_file import load_cove
from fuzzing.archives import damage_weights
from fuzzing.commands import check_printed, elmo
from fuzzing.damage import Bytes, damage_file, damage_json, damage_json_lines, damage_text
from fuzzing.kind import Kind, NotFinite, Wrong, check_finite, check_same


class _OneFile(Kind):
    file: ClassVar[str]
    ways: ClassVar[tuple[Bytes, ...]] = (damage_text,)

    def write(self, directory: Path) -> None:
        shutil.copy(self.material / self.file, directory)

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / self.file, self.ways)


class Vectors(_OneFile):
    name, file = "static vectors", "vectors.txt"

    def run(self, rng: random.Random, directory: Path) -> None:
        vectors = read_static_vectors(self.file)
        check_finite([vectors.vectors, vectors.embed([["the", "Oslo"], ["late"]])], self.file)


class CoveFile(_OneFile):
    name, file, ways = "CoVe", "cove.th", ()
    errors = (ValueError, OSError)

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / self.file, (damage_weights,) if rng.random() < 0.4 else ())

    def run(self, rng: random.Random, directory: Path) -> None:
        cove = load_cove(self.file)
        check_finite(cove.state_dict().values(), self.file)
        check_finite(cove(torch.ones(1, 2, cove.input_dim), torch.ones(1, 2).bool()), self.file)
        if not _is_intact(directory / self.file):
            expected = load_cove(self.material / self.file)
            check_same(cove.state_dict(), expected.state_dict(), self.file)


def _is_intact(file: Path) -> bool:
    """Return True if the checksums in a file that torch saved hold."""
    try:
        return zipfile.ZipFile(file).testzip() is None
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


class Conllu(_OneFile):
    name, file = "CoNLL-U", "words.conllu"

    def run(self, rng: random.Random, directory: Path) -> None:
        for sentence in read_conllu(self.file, rng.choice(("upos", "xpos", "misc"))):
            _check_lengths(len(sentence.tokens), len(sentence.labels))


class LabelFiles(_OneFile):
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


class SenseLines(_OneFile):
    name, file, ways = "senses", "senses.jsonl", (damage_json_lines,)

    def run(self, rng: random.Random, directory: Path) -> None:
        sentences, instances = read_senses(self.file)
        for one in instances:
            if not sentences[one.sentence][one.start : one.end]:
                raise Wrong(f"no tokens for {one}")


class FirstSenses(_OneFile):
    name, file = "index.sense", "index.sense"

    def run(self, rng: random.Random, directory: Path) -> None:
        read_first_senses(self.file)


class Index(Kind):
    """A directory that `elmo index` wrote, through `elmo neighbors`."""

    name = "corpus index"

    def write(self, directory: Path) -> None:
        shutil.copytree(self.material / "index-files", directory / "index-files")
        shutil.copy(self.material / "vectors.txt", directory)

    def damage(self, rng: random.Random, directory: Path) -> None:
        files = sorted((directory / "index-files").iterdir())
        file = rng.choice(files)
        ways: dict[str, tuple[Bytes, ...]] = {".json": (damage_json,), ".txt": (damage_text,)}
        if rng.random() < 0.1:
            file.unlink()
        elif file.suffix == ".npy" and rng.random() < 0.5:
            numpy.save(file, _other_array(rng, numpy.load(file)), allow_pickle=True)
        else:
            damage_file(rng, file, ways.get(file.suffix, ()))

    def run(self, rng: random.Random, directory: Path) -> None:
        query = ("--query", "is", "It is late", "--vectors", "vectors.txt", "--number", 2)
        if rng.random() < 0.5:
            check_printed(elmo("neighbors", "index-files", *query), "neighbors")
            return
        found = CorpusIndex("index-files").nearest(["It", "is", "late"], 1, 3)
        if not found:
            raise Wrong("no neighbors")
        for one in found:
            if not -1.001 <= one.cosine <= 1.001:
                raise NotFinite(f"a cosine of {one.cosine}")
            if not 0 <= one.position < len(one.sentence):
                raise Wrong(f"position {one.position} of {one.sentence}")


def _other_array(rng: random.Random, array: numpy.ndarray) -> numpy.ndarray:
    with_nan = array.astype("float64")
    with_nan[rng.randrange(len(with_nan))] = rng.choice((numpy.nan, numpy.inf))
    changes: tuple[Callable[[], numpy.ndarray], ...] = (
        lambda: with_nan,
        lambda: with_nan.astype("float32"),
        lambda: array[:-1],
        lambda: array[:0],
        lambda: array[None],
        lambda: array[0],
        lambda: array[::-1],
        lambda: array * -1,
        lambda: array * 10**9,
        lambda: array[..., :-1],
        lambda: array.astype("S3"),
        lambda: array.astype(object),
        lambda: array.astype("complex64"),
        lambda: numpy.concatenate([array, array]),
    )
    return rng.choice(changes)()


class Tables(_OneFile):
    """Tables through `elmo report`."""

    name, file, ways = "tables", "tables/table.json", (damage_json,)

    def write(self, directory: Path) -> None:
        (directory / "tables").mkdir()
        shutil.copy(self.material / "table.json", directory / "tables")

    def run(self, rng: random.Random, directory: Path) -> None:
        elmo("report", rng.choice((self.file, "tables")), "--out", "report.html")
        if not (directory / "report.html").read_text(encoding="utf-8").endswith("</html>\n"):
            raise Wrong("report.html is not whole")


class FinishedRuns(Kind):
    """Files that `elmo layers --runs` keeps of a training, read by `elmo mix`."""

    name = "finished trainings"

    def write(self, directory: Path) -> None:
        texts = {"fingerprint": "ab", "model": "crf_tagger", "metric": "f1", "locations": ["input"]}
        mix = ["elmo.scalar_mixes.0", [0.2, 0.3, 0.5], 1.0]
        numbers = dict.fromkeys(
            ("steps_per_epoch", "trained_on", "scored_on", "parameters", "seconds"), 1
        )
        more = {"scores": [50.0], "mixes": [mix], "resumed": False, "machine": "", "commit": ""}
        (directory / "ner-ELMo-1-ab.json").write_text(json.dumps({**texts, **numbers, **more}))

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / "ner-ELMo-1-ab.json", (damage_json,))

    def run(self, rng: random.Random, directory: Path) -> None:
        check_printed(elmo("mix", "ner-ELMo-1-ab.json"), "mix")
