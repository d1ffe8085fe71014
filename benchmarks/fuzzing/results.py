"""Corpus indexes, tables, and records of finished training runs."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

from elmo_plugin.experiments.intrinsic.corpus_index import CorpusIndex
from fuzzing.commands import check_printed, elmo
from fuzzing.damage import Bytes, damage_file
from fuzzing.damage_json import damage_json
from fuzzing.damage_text import damage_text
from fuzzing.kind import Kind, NotFinite, Refused, Wrong
from fuzzing.single_file import SingleFile


class Index(Kind):
    """A directory that `elmo index` wrote, read by `elmo neighbors`."""

    name = "corpus index"
    errors = (ValueError, OSError, Refused)

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
        query = ("--query", "is", "It is late", "--vectors", "vectors.txt", "--top-k", 2)
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


def _other_array(rng: random.Random, array: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    with_nan = array.astype("float64")
    with_nan[rng.randrange(len(with_nan))] = rng.choice((numpy.nan, numpy.inf))
    changes: tuple[Callable[[], numpy.ndarray[Any, Any]], ...] = (
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


class Tables(SingleFile):
    """Tables, read by `elmo report`."""

    name, file, ways = "tables", "tables/table.json", (damage_json,)

    def write(self, directory: Path) -> None:
        (directory / "tables").mkdir()
        shutil.copy(self.material / "table.json", directory / "tables")

    def run(self, rng: random.Random, directory: Path) -> None:
        elmo("report", rng.choice((self.file, "tables")), "--out", "report.html")
        if not (directory / "report.html").read_text(encoding="utf-8").endswith("</html>\n"):
            raise Wrong("report.html is incomplete")


class FinishedRuns(Kind):
    """Records of training runs that `elmo layers --runs` wrote, read by `elmo mix`."""

    name = "finished training runs"

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
