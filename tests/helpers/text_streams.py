"""Text, loaders and batches of language modeling."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import torch

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.stream_loader import BilmStreamLoader
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE, BilmVocabulary

BATCH_SIZE, UNROLL = 3, 4


def write_sentences(directory: Path) -> list[list[str]]:
    """Write forty sentences of 1 to 9 words in two files; no word occurs twice."""
    sentences = [[f"s{i}w{j}" for j in range(i * 7 % 9 + 1)] for i in range(40)]
    lines = [" ".join(sentence) + "\n" for sentence in sentences]
    (directory / "1.txt").write_text("\n".join(lines[:25]))
    (directory / "2.gz").write_bytes(gzip.compress("".join(lines[25:]).encode()))
    return sentences


def make_loader(directory: Path, **options: Any) -> BilmStreamLoader:
    path = str(directory / "[12].*")
    options = {"batch_size": BATCH_SIZE, "unroll_steps": UNROLL, **options}
    loader = BilmStreamLoader(BilmTextReader(), path, **options)
    loader.index_with(BilmVocabulary.from_text(path))
    return loader


class ReadBatch(NamedTuple):
    """Words of a batch, shape (2, batch, steps)."""

    inputs: numpy.ndarray[Any, Any]
    targets: numpy.ndarray[Any, Any]


def read_words(directory: Path, batches: list[Any]) -> list[ReadBatch]:
    names = BilmVocabulary.from_text(str(directory / "[12].*"))
    target_words = names.get_index_to_token_vocabulary(NAMESPACE)

    def word(characters: torch.Tensor) -> str:
        if 257 <= characters[1] <= 258:
            return "<S>" if characters[1] == 257 else "</S>"
        return bytes(c - 1 for c in characters[1:].tolist() if c <= 256).decode()

    read = []
    for batch in batches:
        text = batch["text"]
        input_words = numpy.array([word(characters) for characters in text["words"]])
        targets = numpy.vectorize(target_words.get)(text["targets"])
        read.append(ReadBatch(input_words[text["inputs"]], targets))
    return read


def drawn_sentences(batches: list[ReadBatch], direction: int) -> list[int]:
    """Return the numbers of the sentences in the order in which streams took them."""
    begin = ("<S>", "</S>")[direction]
    order = []
    for batch in batches:
        starts = batch.inputs[direction] == begin
        first_words = batch.targets[direction][starts]
        order += [int(word[1 : word.index("w")]) for word in first_words]
    return order


def are_equal(first: Any, second: Any) -> bool:
    return all(torch.equal(first["text"][name], second["text"][name]) for name in first["text"])
