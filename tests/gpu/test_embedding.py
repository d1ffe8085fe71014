"""Vectors from a GPU against those from the CPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

from elmo_plugin import Embedder
from elmo_plugin.allennlp_api import ElmoEmbedder
from elmo_plugin.embedding.open_vectors import open_vectors
from elmo_plugin.experiments.intrinsic.representations import (
    RepresentationConfig,
    all_representations,
)
from elmo_plugin.experiments.intrinsic.token_vectors import encode_batches
from tests.helpers.random_bilm import SENTENCES, random_bilm, random_words, save

pytestmark = pytest.mark.gpu

TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
TEXT = [[*random_words(1 + 7 * n % 40, seed=n)] for n in range(50)]


@pytest.mark.parametrize("layers", ["average", "all", "last", 1])
@pytest.mark.parametrize("pooling", [None, "mean", "max"])
def test_embedder(layers: Any, pooling: Any, device: torch.device) -> None:
    vectors = [
        Embedder(random_bilm(), device=where).encode(SENTENCES, layers, pooling, batch_size=4)
        for where in (device, "cpu")
    ]
    for one, other in zip(*vectors, strict=True):
        assert isinstance(one, numpy.ndarray) and one.dtype == numpy.float32
        numpy.testing.assert_allclose(one, other, **TOLERANCE)


def test_built_in_bilm(device: torch.device) -> None:
    found, expected = (Embedder(device=where).encode(TEXT, "all") for where in (device, "cpu"))
    for one, other in zip(found, expected, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)


def test_stream_and_bfloat16(device: torch.device) -> None:
    if device.type == "simulated":
        pytest.skip("its tensors keep their type")
    exact = numpy.concatenate(list(Embedder().stream(TEXT)))
    half = numpy.concatenate(list(Embedder(device=device, precision="bfloat16").stream(TEXT)))
    assert half.dtype == numpy.float32
    assert 0 < numpy.linalg.norm(half - exact) < 0.02 * numpy.linalg.norm(exact)


def test_representations(tmp_path: Path, device: torch.device) -> None:
    """Those that the intrinsic experiments compare, CoVe among them."""
    if device.type == "simulated":
        pytest.skip("CoVe's lengths stay on the CPU")
    words = {word for sentence in SENTENCES[:2] for word in sentence}
    lines = [f"{word} {len(word)} {n} 1\n" for n, word in enumerate(sorted(words))]
    (tmp_path / "vectors.txt").write_text("".join(lines))
    save(random_bilm(), tmp_path)
    found = []
    for where in (str(device), "cpu"):
        config = RepresentationConfig(
            bilm=str(tmp_path), vectors=str(tmp_path / "vectors.txt"), device=where
        )
        found.append(
            [
                (one.name, batch.numpy())
                for kind in all_representations(config).values()
                for one in kind
                for _, batch in encode_batches(one, SENTENCES[:2], "")
            ]
        )
    for (name, one), (_, other) in zip(*found, strict=True):
        # cuDNN's LSTM, of CoVe, rounds to ten bits.
        numpy.testing.assert_allclose(one, other, rtol=5e-3, atol=5e-3, err_msg=name)


def test_elmo_embedder_of_allennlp(tmp_path: Path, cuda_device: int) -> None:
    files = save(random_bilm(), tmp_path)
    found, expected = (
        ElmoEmbedder(*files, cuda_device=where).embed_batch(SENTENCES[:3])
        for where in (cuda_device, -1)
    )
    for one, other in zip(found, expected, strict=True):
        numpy.testing.assert_allclose(one, other, **TOLERANCE)


def test_embed_command(tmp_path: Path, cuda_device: int) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(" ".join(sentence) + "\n" for sentence in TEXT))
    found = []
    for where in (cuda_device, -1):
        out = tmp_path / f"on_{where}.hdf5"
        command = ("embed", text, out, "--cuda-device", where, "--workers", 1)
        subprocess.run([sys.executable, "-m", "elmo_plugin", *map(str, command)], check=True)
        with open_vectors(out) as vectors:
            found.append([vectors[row] for row in range(len(TEXT))])
        out.unlink()
    for one, other in zip(*found, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
