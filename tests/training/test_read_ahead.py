"""Batches read ahead: the same batches, vectors and trained weights."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from allennlp.data import DataLoader

from elmo_plugin.layers import batch_to_ids
from elmo_plugin.modules.token_embedders.elmo import ElmoTokenEmbedder
from elmo_plugin.training.read_ahead import ReadAheadLoader, reads_frozen_bilm
from tests.helpers.forward_calls import before_forward

SENTENCES = [
    [["The", "tea", "was", "cold", "."], ["Who", "?"]],
    [["A", "boat", "came", "in", "before", "noon", "."], ["The", "tea", "was", "cold", "."]],
    [["Nobody", "spoke", "."]],
]


class Batches(DataLoader):
    """Batches of character ids, nested as a text field is."""

    def __init__(self) -> None:
        self.batches = [{"tokens": {"elmo": {"elmo_tokens": batch_to_ids(s)}}} for s in SENTENCES]

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.batches)


@pytest.mark.parametrize("num_batches", [1, 2, 16])
def test_batches_and_vectors_stay_the_same(num_batches: int) -> None:
    embedder, loader = ElmoTokenEmbedder(dropout=0.0), Batches()
    ahead = ReadAheadLoader(loader, embedder, num_batches)
    assert len(ahead) == len(loader)
    alone = ElmoTokenEmbedder(dropout=0.0, cache_gigabytes=0)
    for batch, expected in zip(ahead, loader, strict=True):
        assert batch is expected
        ids = batch["tokens"]["elmo"]["elmo_tokens"]
        torch.testing.assert_close(embedder(ids), alone(ids), atol=2e-6, rtol=0)


def test_the_bilm_runs_once_for_all_batches() -> None:
    embedder = ElmoTokenEmbedder(dropout=0.0)
    shapes = []
    before_forward(embedder._elmo.bilm, lambda ids: shapes.append(ids.shape))
    for batch in ReadAheadLoader(Batches(), embedder):
        embedder(batch["tokens"]["elmo"]["elmo_tokens"])
    assert len(shapes) == 1


def test_without_a_cache_each_batch_is_computed_as_it_is() -> None:
    embedder = ElmoTokenEmbedder(dropout=0.0, cache_gigabytes=0)
    shapes = []
    before_forward(embedder._elmo.bilm, lambda ids: shapes.append(ids.shape))
    batches = [batch["tokens"]["elmo"]["elmo_tokens"] for batch in Batches()]
    for batch in ReadAheadLoader(Batches(), embedder):
        embedder(batch["tokens"]["elmo"]["elmo_tokens"])
    assert shapes == [batch.shape for batch in batches]


def test_nothing_is_read_ahead_without_room() -> None:
    embedder = ElmoTokenEmbedder(dropout=0.0, cache_gigabytes=1e-9)
    runs = []
    before_forward(embedder._elmo.bilm, runs.append)
    for _ in ReadAheadLoader(Batches(), embedder):
        assert not runs


def test_documents_are_not_read_as_sentences() -> None:
    embedder, loader = ElmoTokenEmbedder(dropout=0.0), Batches()
    for batch in loader.batches:
        ids = batch["tokens"]["elmo"]["elmo_tokens"]
        batch["tokens"]["elmo"]["sentences"] = torch.ones(ids.shape[:2], dtype=torch.long)
    runs = []
    before_forward(embedder._elmo.bilm, runs.append)
    assert len(list(ReadAheadLoader(loader, embedder))) == len(loader)
    assert not runs


def test_ids_of_another_embedder_are_left_out() -> None:
    embedder, loader = ElmoTokenEmbedder(dropout=0.0), Batches()
    for batch, sentences in zip(loader.batches, SENTENCES):
        batch["tokens"]["long"] = {"elmo_tokens": batch_to_ids(sentences, 80)}
    for batch in ReadAheadLoader(loader, embedder):
        assert embedder(batch["tokens"]["elmo"]["elmo_tokens"]).isfinite().all()


def test_only_frozen_bilms_are_read_ahead() -> None:
    assert reads_frozen_bilm(torch.nn.ModuleList([ElmoTokenEmbedder()]))
    assert not reads_frozen_bilm(ElmoTokenEmbedder(requires_grad=True))
    assert not reads_frozen_bilm(torch.nn.Linear(1, 1))
