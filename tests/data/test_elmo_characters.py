"""Character ids of AllenNLP's lengths and of others, up to a task model's vectors."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Token, TokenIndexer, Vocabulary
from allennlp.data.token_indexers import ELMoTokenCharactersIndexer
from allennlp.models.archival import load_archive

from elmo_plugin import Embedder
from elmo_plugin.data.elmo_characters import ElmoCharactersIndexer
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.modules.token_embedders.elmo import ElmoTokenEmbedder
from tests.helpers.command_line import elmo
from tests.helpers.random_bilm import SENTENCES, SMALL, Files, random_bilm, save

NER = Path(__file__).parents[2] / "training_configs" / "ner" / "elmo.jsonnet"
WORDS = [*(word for sentence in SENTENCES for word in sentence), "[CLS]"]


def indexer(**parameters: Any) -> TokenIndexer:
    return TokenIndexer.from_params(Params({"type": "elmo_characters", **parameters}))


def index(one: TokenIndexer, words: list[str], length: int) -> torch.Tensor:
    """Return the padded ids of words. Shape (length, characters)."""
    indexed = one.tokens_to_indices([Token(word) for word in words], Vocabulary())
    return one.as_padded_tensor_dict(indexed, {"elmo_tokens": length})["elmo_tokens"]


@pytest.mark.parametrize("tokens_to_add", [None, {"[CLS]": 7}])
def test_default_ids_are_allennlps(tokens_to_add: dict[str, int] | None) -> None:
    ours = indexer(**({"tokens_to_add": tokens_to_add} if tokens_to_add else {}))
    assert isinstance(ours, ElmoCharactersIndexer)
    theirs = ELMoTokenCharactersIndexer(tokens_to_add=tokens_to_add)
    length = len(WORDS) + 3
    assert torch.equal(index(ours, WORDS, length), index(theirs, WORDS, length))


@pytest.mark.parametrize("characters", [3, 20, 80])
def test_other_lengths(characters: int) -> None:
    found = index(indexer(max_characters=characters), WORDS, len(WORDS))
    assert torch.equal(found, batch_to_ids([WORDS], characters)[0])
    added = index(indexer(max_characters=characters, tokens_to_add={"[CLS]": 7}), ["[CLS]"], 1)
    theirs = index(ELMoTokenCharactersIndexer(tokens_to_add={"[CLS]": 7}), ["[CLS]"], 1)
    common = min(characters, 50)
    assert torch.equal(added[:, :common], theirs[:, :common])
    assert added[:, common:].eq(theirs[0, -1]).all()  # padding


@pytest.mark.parametrize("characters", [0, 2, 1001])
def test_lengths_that_no_bilm_has(characters: int) -> None:
    message = f"max_characters: expected from 3 to 1000, got {characters}"
    with pytest.raises(ConfigurationError, match=message):
        indexer(max_characters=characters)


@pytest.fixture
def long_words(tmp_path: Path) -> Files:
    return save(random_bilm(dataclasses.replace(SMALL, max_characters=80)), tmp_path)


def test_other_length_than_the_bilms(long_words: Files) -> None:
    embedder = ElmoTokenEmbedder(*map(str, long_words))
    with pytest.raises(ConfigurationError, match=r"expected 80 .*, got 50: set max_characters of "):
        embedder(batch_to_ids(SENTENCES))


@pytest.mark.usefixtures("at_the_root")
def test_task_model_reads_long_words(
    long_words: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare with the biLM alone, whose vectors depend on what follows the 48th byte."""
    bilm = {"options_file": str(long_words.options), "weight_file": str(long_words.weights)}
    config, run = tmp_path / "long.jsonnet", tmp_path / "run"
    bilm |= {"dim": random_bilm().output_dim, "max_characters": 80}
    config.write_text(
        f"(import '{NER}') {{ paths+:: {{ bilm: {json.dumps(bilm)} }}, sizes+:: {{ hidden: 4 }} }}"
    )
    few = {"dataset_reader.max_instances": 4, "trainer.num_epochs": 1}
    elmo(monkeypatch, "train", config, "-s", run, "-o", json.dumps(few))
    archive = load_archive(run)
    words = ["가" * 16 + "나", "가" * 16 + "다"]
    instance = archive.dataset_reader.text_to_instance([Token(word) for word in words])
    archive.dataset_reader.apply_token_indexers(instance)
    instance.index_fields(archive.model.vocab)
    ids = instance["tokens"].as_tensor(instance["tokens"].get_padding_lengths())
    embedder = archive.model.text_field_embedder.token_embedder_elmo.eval()
    found = embedder(ids["elmo"]["elmo_tokens"].unsqueeze(0))[0]
    expected = Embedder(run).encode([words], layers="mix")[0]
    torch.testing.assert_close(found.detach(), torch.from_numpy(expected), atol=1e-5, rtol=0)
    alone = Embedder(str(long_words.weights)).encode([[word] for word in words], layers=0)
    assert (alone[0] != alone[1]).any()
