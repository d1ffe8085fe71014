"""Text, read by the reader, the loader and `elmo perplexity`; arguments of `batch_to_ids`."""

from __future__ import annotations

import gzip
import random
import shutil
from itertools import islice
from pathlib import Path
from typing import Any

from allennlp.data import DatasetReader

from elmo_plugin.common.text import read_sentences
from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.stream_loader import BilmStreamLoader
from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.models.loading import load_bilm_from
from fuzzing.commands import check_printed, elmo
from fuzzing.damage import damage_file
from fuzzing.damage_json import HOSTILE
from fuzzing.damage_text import damage_text
from fuzzing.kind import Kind, Wrong, check_equal, check_finite

TEXT = "text.txt"


class _Text(Kind):
    file = TEXT

    def write(self, directory: Path) -> None:
        shutil.copy(self.material / "train.txt", directory / self.file)

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / self.file, (damage_text,))


class TextReader(_Text):
    name = "text: reader"

    def run(self, rng: random.Random, directory: Path) -> None:
        reader: DatasetReader = BilmTextReader()
        for instance in reader.read(TEXT):
            field: Any = instance["text"]
            if not all(map(len, field.sentence)):
                raise Wrong(f"{TEXT}: an empty word")


class GzippedText(_Text):
    name = "text: gzipped"
    errors = (ValueError, OSError)
    file = f"{TEXT}.gz"

    def write(self, directory: Path) -> None:
        text = (self.material / "train.txt").read_bytes()
        (directory / self.file).write_bytes(gzip.compress(text, mtime=0))

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / self.file)

    def run(self, rng: random.Random, directory: Path) -> None:
        found, expected = (
            list(read_sentences(str(file))) for file in (self.file, self.material / "train.txt")
        )
        # A gzip file may hold several members in a row.
        if found != expected * 2:
            check_equal(found, expected, self.file)


class TextLoader(_Text):
    name = "text: loader"

    def run(self, rng: random.Random, directory: Path) -> None:
        vocabulary = BilmVocabulary.from_text(TEXT)
        loader = BilmStreamLoader(BilmTextReader(), TEXT, batch_size=4, unroll_steps=5, prefetch=0)
        loader.index_with(vocabulary)
        for batch in islice(loader, 3):
            text: Any = batch["text"]
            check_equal(tuple(text["targets"].shape), (2, 4, 5), "targets")


class TextPerplexity(_Text):
    name = "text: perplexity"

    def write(self, directory: Path) -> None:
        shutil.copy(self.material / "heldout.txt", directory / TEXT)

    def run(self, rng: random.Random, directory: Path) -> None:
        bilm = self.material / "exported"
        check_printed(elmo("perplexity", TEXT, "--bilm", bilm, "--unigram", TEXT), "perplexity")


class CharacterIds(Kind):
    """Arguments of `batch_to_ids`, and a biLM on the resulting ids."""

    name = "batch_to_ids"
    errors = (ValueError, TypeError)

    def __init__(self, material: Path) -> None:
        super().__init__(material)
        self._bilm = load_bilm_from(str(material / "exported"))

    def write(self, directory: Path) -> None:
        self._damaged = False

    def damage(self, rng: random.Random, directory: Path) -> None:
        self._damaged = True

    def run(self, rng: random.Random, directory: Path) -> None:
        sentences: Any = [["It", "is", "late"], ["Oslo"]]
        if self._damaged:
            sentences = _arguments(rng)
        ids = batch_to_ids(sentences, *([rng.choice(_SIZES)] if rng.random() < 0.2 else []))
        if isinstance(sentences, str) or any(isinstance(words, str) for words in sentences):
            raise Wrong(f"batch_to_ids took {sentences!r:.80}")
        check_finite([self._bilm(ids).layers], "vectors")


_SIZES: tuple[Any, ...] = (-1, 0, 1, 2, 3, 49, 2.5, None, "50", True)
_SENTENCES: tuple[Any, ...] = (
    *("It is late", ["It is late"], ["It", "is"], [["It"], "is"], [], [[]], [[], ["a"]], [[""]]),
    *([["\ud800"]], [["\0", " "]], [["a" * 100_000]], [["a"] * 5000], [[]] * 300, None, 5, [None]),
    *([[None]], [[1, 2]], [[b"bytes"]], b"bytes", [b"bytes"], {"a": ["b"]}, {"ab", "c"}, [("a",)]),
    *((("a", "b"), ("c",)), iter([["a"]]), [iter(["a"])], [[["a"]]], [{"a": 1}], range(3)),
    *([["<S>", "</S>", "<UNK>"]], [[float("nan")]], [["한국어", "🙂👩‍👩‍👧"]], object()),
)


def _arguments(rng: random.Random) -> Any:
    if rng.random() < 0.6:
        return rng.choice(_SENTENCES)
    return [
        [rng.choice(("It", "is", "", "é", "\U0010ffff")) for _ in range(rng.randint(0, 5))]
        if rng.random() < 0.8
        else rng.choice(HOSTILE)
        for _ in range(rng.randint(0, 4))
    ]
