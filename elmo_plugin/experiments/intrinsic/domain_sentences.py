"""Sentences of the datasets that a biLM is fine-tuned on (Table 7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm
from allennlp.data.tokenizers import SpacyTokenizer

from elmo_plugin.common.json_text import parse_json, read_json
from elmo_plugin.common.text import numbered_lines

Sentences = Iterator[list[str]]


def conll_sentences(path: Path) -> Sentences:
    """Read the first column of CoNLL's format."""
    lines = (line.split() for _, line in numbered_lines(str(path)))
    for has_words, sentence in groupby(lines, key=bool):
        words = [columns[0] for columns in sentence] if has_words else []
        if words and words != ["-DOCSTART-"]:
            yield words


def tree_sentences(path: Path) -> Sentences:
    """Read the leaves of one bracketed tree per line."""
    for number, line in numbered_lines(str(path)):
        words = re.findall(r" ([^ ()]+)\)", line)
        if not words and line.strip():
            raise ValueError(f"{path}, line {number}: expected a tree in brackets, found {line!r}")
        yield words


def snli_sentences(path: Path) -> Sentences:
    """Read premises and hypotheses, and tokenize them."""
    numbered = [(f"{path}, line {i}", line) for i, line in numbered_lines(str(path))]
    pairs = [(source, parse_json(line, source)) for source, line in numbered if line.strip()]
    keys = ("sentence1", "sentence2")
    yield from _tokenized([_get(pair, key, str, source) for source, pair in pairs for key in keys])


def squad_contexts(path: Path) -> Sentences:
    """Read the paragraphs of SQuAD, and tokenize them; the task's biLM reads each as a whole."""
    source = str(path)
    yield from _tokenized([_get(one, "context", str, source) for one in _paragraphs(path)])


def squad_questions(path: Path) -> Sentences:
    """Read the questions of SQuAD, and tokenize them."""
    source = str(path)
    questions = [qa for one in _paragraphs(path) for qa in _get(one, "qas", list, source)]
    yield from _tokenized([_get(qa, "question", str, source) for qa in questions])


def _paragraphs(path: Path) -> list[Any]:
    source = str(path)
    articles = _get(read_json(path), "data", list, source)
    return [one for article in articles for one in _get(article, "paragraphs", list, source)]


def _get(item: Any, key: str, kind: type, source: str) -> Any:
    """Return an object's value, or raise a `ValueError` that names the source and the key."""
    value = item.get(key) if isinstance(item, dict) else None
    if not isinstance(value, kind):
        raise ValueError(
            f"{source}: {key}: expected an object with a {kind.__name__} there, found {item!r:.80}"
        )
    return value


def _tokenized(texts: Iterable[str]) -> Sentences:
    tokenizer = SpacyTokenizer()
    for text in Tqdm.tqdm(texts, desc="tokenizing"):
        yield [word for token in tokenizer.tokenize(text) if (word := token.ensure_text()).strip()]


def text_of(sentences: Sentences) -> str:
    """Return one tokenized sentence per line."""
    return "".join(" ".join(sentence) + "\n" for sentence in sentences if sentence)


class Domain(NamedTuple):
    """A row of Table 7."""

    name: str
    task: str
    """The task whose training and development data it reads."""
    read: Callable[[Path], Sentences]
    published: str
    """The row's name in the paper."""


DOMAINS = (
    Domain("SNLI", "snli", snli_sentences, "SNLI"),
    Domain("NER", "ner", conll_sentences, "NER (CoNLL 2003)"),
    Domain("SQuAD contexts", "squad", squad_contexts, "SQuAD context"),
    Domain("SQuAD questions", "squad", squad_questions, "SQuAD questions"),
    Domain("SST", "sst5", tree_sentences, "SST"),
)


def domains_of(tasks: Sequence[str]) -> list[Domain]:
    """
    Return the rows of Table 7 for these tasks; all rows if there are none.

    # Raises

    `ConfigurationError` : an unknown task.
    """
    known = sorted({domain.task for domain in DOMAINS})
    for task in tasks:
        if task not in known:
            raise ConfigurationError(f"TASK: expected some of {', '.join(known)}, got {task}")
    return [domain for domain in DOMAINS if not tasks or domain.task in tasks]
