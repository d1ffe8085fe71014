"""Sentences and their stored activations."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from elmo_plugin.data.sentence import Sentence
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.corpus import embed_corpus, encode_here
from elmo_plugin.layers import Bilm
from elmo_plugin.weights import save_bilm
from tests.helpers.random_bilm import random_bilm


def written(
    path: Path, sentences: list[list[str]], dtype: str = "float32", bilm: Bilm | None = None
) -> Path:
    with TemporaryDirectory() as directory:
        files = Path(directory, "options.json"), Path(directory, "weights.hdf5")
        save_bilm(bilm or random_bilm(), *files)
        encoder = BlockEncoder(directory, dtype=dtype)
        embed_corpus([list(map(Sentence, sentences))], path, encoder, "packed", encode_here)
    return path
