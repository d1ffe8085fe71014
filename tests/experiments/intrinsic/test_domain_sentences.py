"""Sentences of datasets, against AllenNLP's readers, and damaged files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from allennlp_models.classification.dataset_readers.stanford_sentiment_tree_bank import (
    StanfordSentimentTreeBankDatasetReader,
)
from allennlp_models.tagging.dataset_readers.conll2003 import Conll2003DatasetReader

from elmo_plugin.experiments.intrinsic.domain_sentences import (
    DOMAINS,
    Sentences,
    conll_sentences,
    domains_of,
    snli_sentences,
    squad_contexts,
    squad_questions,
    tree_sentences,
)

FIXTURES = Path(__file__).parents[3] / "fixtures"


def _words(instances: Any) -> list[list[str]]:
    return [[token.text for token in instance["tokens"]] for instance in instances]


def test_conll_sentences_end_at_lines_without_words(tmp_path: Path) -> None:
    file = tmp_path / "train.conll"
    text = (FIXTURES / "ner/train.conll").read_text()
    expected = _words(Conll2003DatasetReader().read(FIXTURES / "ner/train.conll"))
    for separator, mark in (("\n\n", ""), ("\n \n", ""), ("\r\n\r\n", "\ufeff")):
        file.write_bytes((mark + text.replace("\n\n", separator)).encode())
        assert list(conll_sentences(file)) == expected


def test_domains_of_tasks() -> None:
    assert [domain.name for domain in domains_of(["squad"])] == [
        "SQuAD contexts",
        "SQuAD questions",
    ]
    assert domains_of([]) == list(DOMAINS)


def test_leaves_of_trees() -> None:
    file = FIXTURES / "sst5/dev.txt"
    expected = _words(StanfordSentimentTreeBankDatasetReader().read(file))
    assert list(tree_sentences(file)) == expected


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        (snli_sentences, '\n{"sentence1": "A b."}\n', "line 2: sentence2: expected"),
        (snli_sentences, "{}\n[", "line 2: expected JSON"),
        (squad_contexts, "[]", "data: expected"),
        (squad_contexts, '{"data": [{"paragraphs": [{}]}]}', "context: expected"),
        (squad_questions, '{"data": [{"paragraphs": [{"qas": 3}]}]}', "qas: expected"),
        (squad_questions, "{", "expected JSON"),
        (tree_sentences, "(1 (1 a) (1 b))\nno tree", "line 2: expected a tree"),
        (conll_sentences, "\xff", "expected UTF-8"),
    ],
)
def test_damaged_files_are_named(
    read: Callable[[Path], Sentences], content: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(ValueError, match=f"{file}.*{message}"):
        list(read(file))


def test_blank_lines_between_pairs(tmp_path: Path) -> None:
    lines = (FIXTURES / "snli/dev.jsonl").read_text().splitlines()[:3]
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n\n".join(lines) + "\n\n")
    keys = ("sentence1", "sentence2")
    given = [json.loads(line)[key] for line in lines for key in keys]
    found = list(snli_sentences(file))
    assert ["".join(words) for words in found] == ["".join(text.split()) for text in given]
