"""biLMs with random weights, and their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

import torch
from allennlp.data import Vocabulary
from allennlp.data.batch import Batch

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.lm_batches import LmBatchBuilder, TokenSequence
from elmo_plugin.models.bilm import BilmModel
from tests.helpers.random_bilm import SMALL, random_bilm

Text = dict[str, torch.Tensor]


WORDS = [f"word{i}" for i in range(30)]


SENTENCES = [[WORDS[(i * k + k) % 30] for i in range(k % 9 + 1)] for k in range(67)] + [
    ["unheard", "of", "한국어"],
    [],
]


READER = BilmTextReader()


def make_model(vocabulary: Vocabulary, **options: Any) -> BilmModel:
    """A model with random weights in training mode."""
    sizes = asdict(SMALL)
    model = BilmModel(vocabulary, **{**sizes, "dropout": 0.0, "num_samples": None, **options})
    model.bilm.load_state_dict(random_bilm().state_dict())
    torch.manual_seed(0)
    torch.nn.init.normal_(model.softmax.weight)
    torch.nn.init.normal_(model.softmax.bias)
    return model


def make_batch(vocabulary: Vocabulary, sentences: Sequence[list[str]]) -> Text:
    batch = Batch([READER.text_to_instance(sentence) for sentence in sentences])
    batch.index_instances(vocabulary)
    return cast(Text, batch.as_tensor_dict()["text"])


def make_window(vocabulary: Vocabulary, start: int, steps: int, rows: int = 3) -> Text:
    """Window of endless rows, from step `start` on."""
    span = range(start, start + steps + 1)
    streams = [[WORDS[(i * (r + 2) + r) % 30] for i in span] for r in range(2 * rows)]
    cut = [TokenSequence(words[:-1], words[1:]) for words in streams]
    word_ids = vocabulary.get_token_to_index_vocabulary("bilm")
    return LmBatchBuilder(word_ids).build(cut[:rows], cut[rows:])


def take_gradients(model: BilmModel) -> dict[str, torch.Tensor]:
    gradients = {}
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        gradients[name] = parameter.grad.clone()
    model.zero_grad()
    return gradients
