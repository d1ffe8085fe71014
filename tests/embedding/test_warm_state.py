"""Vectors of sentences that start from the warm state."""

from __future__ import annotations

from pathlib import Path

import numpy
import torch

from elmo_plugin import Embedder, load_bilm, open_vectors
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.layers import batch_to_ids
from tests.helpers.embedding import embed
from tests.helpers.random_bilm import SENTENCES, random_warm_bilm, save


def test_vectors_start_from_the_warm_state(tmp_path: Path) -> None:
    files = save(random_warm_bilm(), tmp_path)
    bilm = load_bilm(*files, initial_state="warm")
    with torch.no_grad():
        expected = [bilm(batch_to_ids([s])).layers[:, 0].transpose(0, 1) for s in SENTENCES[:3]]
    encoder = BlockEncoder(str(tmp_path), initial_state="warm")
    with open_vectors(embed(tmp_path / "out", encoder, text=SENTENCES[:3])) as vectors:
        found = [
            Embedder(tmp_path, initial_state="warm").encode(SENTENCES[:3], "all"),
            Embedder.from_files(*files, initial_state="warm").encode(SENTENCES[:3], "all"),
            list(vectors),
        ]
    for each in found:
        for one, other in zip(each, expected, strict=True):
            numpy.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    zero = Embedder(tmp_path).encode(SENTENCES[:1], "all")
    assert abs(zero[0] - expected[0].numpy()).max() > 0.01
