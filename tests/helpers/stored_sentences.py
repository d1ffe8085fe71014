"""Sentences and their stored activations."""

from __future__ import annotations

from pathlib import Path

from elmo_plugin.layers import batch_to_ids
from elmo_plugin.weights.activations_file import Sentence, write_activations
from tests.helpers.random_bilm import random_bilm


def as_read(sentences: list[list[str]]) -> list[Sentence]:
    return [Sentence(tokens, batch_to_ids([tokens])[0]) for tokens in sentences]


def written(path: Path, sentences: list[list[str]], dtype: str = "float32") -> Path:
    write_activations(random_bilm(), as_read(sentences), path, dtype)
    return path
