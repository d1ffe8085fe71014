"""Reads ahead in training, so that a frozen biLM runs on the sentences of many batches at once."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch
from allennlp.data import DataLoader, Instance, TensorDict, Vocabulary

from elmo_plugin.modules.token_embedders.elmo import ElmoTokenEmbedder

_INPUTS = "elmo_tokens"
"""Key of an embedder's character ids in a batch."""
_SENTENCES = "sentences"
"""Key beside it of the indexer `elmo_characters_by_sentence`."""


def reads_frozen_bilm(model: torch.nn.Module) -> bool:
    """Return whether a model has an ELMo embedder whose biLM is not trained."""
    return any(embedder.has_frozen_bilm for embedder in _embedders(model))


def _embedders(model: torch.nn.Module) -> list[ElmoTokenEmbedder]:
    return [module for module in model.modules() if isinstance(module, ElmoTokenEmbedder)]


class ReadAheadLoader(DataLoader):
    """
    Gives the batches of another loader in its order. Where a model has ELMo embedders with a frozen
    biLM and a cache, their layers of the next batches' sentences are computed together: a small
    batch alone is bound by reading the biLM's weights from memory.

    # Parameters

    loader : `DataLoader`
    model : `torch.nn.Module`
    num_batches : `int`, optional (default = `16`)
        Number of batches to read at once.
    """

    def __init__(self, loader: DataLoader, model: torch.nn.Module, num_batches: int = 16) -> None:
        self.loader = loader
        self._num_batches = num_batches
        self._embedders = _embedders(model)

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator[TensorDict]:
        batches = iter(self.loader)
        while group := list(islice(batches, self._num_batches)):
            inputs = [tensor for batch in group for tensor in _inputs(batch)]
            for embedder in self._embedders:
                embedder.cache_layers(inputs)
            yield from group

    def iter_instances(self) -> Iterator[Instance]:
        return self.loader.iter_instances()

    def index_with(self, vocab: Vocabulary) -> None:
        self.loader.index_with(vocab)

    def set_target_device(self, device: torch.device) -> None:
        self.loader.set_target_device(device)


def _inputs(batch: Any) -> Iterator[torch.Tensor]:
    """Yield every tensor of character ids in a batch, except for documents, which the embedder
    `elmo_by_sentence` reads: they have enough sentences of their own."""
    if isinstance(batch, dict) and _SENTENCES not in batch:
        for key, value in batch.items():
            if key == _INPUTS and isinstance(value, torch.Tensor):
                yield value
            else:
                yield from _inputs(value)
