"""Sentences of the data sets that a biLM is fine-tuned on (Table 7)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from allennlp.common.tqdm import Tqdm
from allennlp.data.tokenizers import SpacyTokenizer

Sentences = Iterator[list[str]]


def conll_sentences(path: Path) -> Sentences:
    """Read the first column of CoNLL's format."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        words = [line.split()[0] for line in block.splitlines() if line.strip()]
        if words and words != ["-DOCSTART-"]:
            yield words


def tree_sentences(path: Path) -> Sentences:
    """Read the leaves of one bracketed tree per line."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield re.findall(r" ([^ ()]+)\)", line)


def snli_sentences(path: Path) -> Sentences:
    """Read premises and hypotheses, and tokenize them."""
    with path.open(encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in lines]
    yield from _tokenized(pair[key] for pair in pairs for key in ("sentence1", "sentence2"))


def squad_contexts(path: Path) -> Sentences:
    """Read the paragraphs of SQuAD, and tokenize them; the task's biLM reads each as a whole."""
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    yield from _tokenized(
        paragraph["context"] for article in articles for paragraph in article["paragraphs"]
    )


def squad_questions(path: Path) -> Sentences:
    """Read the questions of SQuAD, and tokenize them."""
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    yield from _tokenized(qa["question"] for paragraph in paragraphs for qa in paragraph["qas"])


def _tokenized(texts: Iterable[str]) -> Sentences:
    tokenizer = SpacyTokenizer()
    for text in Tqdm.tqdm(texts, desc="tokenizing"):
        yield [word for token in tokenizer.tokenize(text) if (word := token.ensure_text()).strip()]
