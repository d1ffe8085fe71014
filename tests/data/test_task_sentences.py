"""`elmo embed` stores every sentence that the embedder reads in training."""

import json
from pathlib import Path

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data.token_indexers.elmo_indexer import ELMoCharacterMapper

from elmo_plugin.data.task_sentences import task_sentences

DATA = Path(__file__).parents[1] / "modules" / "documented" / "data"
ELMO = {"elmo": {"type": "elmo_characters"}}


@pytest.fixture(scope="module", autouse=True)
def plugins() -> None:
    import_plugins()


def config(**arguments: object) -> Params:
    reader = {"type": "snli", "token_indexers": ELMO, "tokenizer": "whitespace"}
    return Params(
        {"dataset_reader": reader, "train_data_path": str(DATA / "snli.jsonl")} | arguments
    )


def pairs() -> list[list[str]]:
    lines = (DATA / "snli.jsonl").read_text(encoding="utf-8").splitlines()
    examples = [json.loads(line) for line in lines]
    return [e[key].split() for e in examples for key in ("sentence1", "sentence2")]


def test_every_text_field() -> None:
    sentences = list(task_sentences(config()))
    assert [sentence.tokens for sentence in sentences] == pairs()
    mapper = ELMoCharacterMapper()
    for tokens, ids in sentences:
        assert ids.tolist() == [mapper.convert_word_to_char_ids(token) for token in tokens]


def test_every_data_set_by_its_own_reader() -> None:
    path = str(DATA / "snli.jsonl")
    other = {"type": "snli", "token_indexers": ELMO, "tokenizer": "character"}
    all_of_them = task_sentences(
        config(validation_data_path=path, test_data_path=path, validation_dataset_reader=other)
    )
    characters = [list(" ".join(words)) for words in pairs()]
    assert [s.tokens for s in all_of_them] == pairs() + 2 * characters


def test_fields_in_lists() -> None:
    reader = {"type": "quac", "num_context_answers": 0, "token_indexers": ELMO}
    found = [
        " ".join(sentence.tokens)
        for sentence in task_sentences(
            config(dataset_reader=reader, train_data_path=str(DATA / "quac.json"))
        )
    ]
    assert "Did it burn ?" in found and "Why ?" in found


def test_no_text_for_elmo() -> None:
    reader = {"type": "snli"}
    with pytest.raises(ConfigurationError, match="elmo_characters, found none"):
        list(task_sentences(config(dataset_reader=reader)))
