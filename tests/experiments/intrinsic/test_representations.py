"""Representations of tokens on the fixtures' biLM."""

import re
from pathlib import Path

import numpy
import pytest
import torch

from elmo_plugin.experiments.intrinsic.representations import (
    RepresentationConfig,
    all_representations,
)
from elmo_plugin.experiments.intrinsic.token_vectors import encode_batches, span_vectors
from elmo_plugin.weights import save_bilm
from tests.helpers.cove import write_cove
from tests.helpers.random_bilm import random_bilm

ROOT = Path(__file__).parents[3]
BILM = str(ROOT / "fixtures" / "bilm")
VECTORS = str(ROOT / "fixtures" / "vectors" / "vectors.16d.txt")
SENTENCES = [["It", "is", "late"], ["Late"], ["The", "play", "is", "over", "."]]
SPANS = [(0, 0, 1), (2, 1, 4), (1, 0, 1), (2, 1, 2)]


@pytest.mark.parametrize("index", range(4))
def test_span_vectors_are_means_of_tokens_in_batches_of_any_size(index: int) -> None:
    vectors = {}
    for size in (1, 2, 64):
        config = RepresentationConfig(BILM, VECTORS, batch_size=size)
        [representation] = list(all_representations(config).values())[index]
        vectors[size] = span_vectors(representation, SENTENCES, SPANS, "")
    shape = (len(representation.layers), len(SPANS), representation.dim)
    assert vectors[1].shape == shape
    with torch.no_grad():
        alone = [representation.encode([sentence])[:, 0].numpy() for sentence in SENTENCES]
    expected = [alone[sentence][:, start:end].mean(1) for sentence, start, end in SPANS]
    for found in vectors.values():
        numpy.testing.assert_allclose(found, numpy.stack(expected, 1), atol=1e-5)


def test_vectors_that_are_not_finite(tmp_path: Path) -> None:
    bilm = random_bilm()
    for weight in bilm.parameters():
        weight.data *= 1e30
    save_bilm(bilm, str(tmp_path / "options.json"), str(tmp_path / "weights.hdf5"))
    [representation] = all_representations(RepresentationConfig(str(tmp_path)))["biLM"]
    with pytest.raises(ValueError, match="texts: expected finite vectors, found NaN or infinity"):
        list(encode_batches(representation, SENTENCES, "texts"))


def test_random_weights_depend_on_the_seed() -> None:
    def random_vectors(seed: int) -> torch.Tensor:
        config = RepresentationConfig(BILM, seed=seed)
        [representation] = all_representations(config)["random biLM"]
        with torch.no_grad():
            return representation.encode(SENTENCES[:1])

    assert torch.equal(random_vectors(1), random_vectors(1))
    assert not torch.equal(random_vectors(1), random_vectors(2))


def test_only_random_weights_are_drawn_several_times() -> None:
    found = all_representations(RepresentationConfig(BILM, VECTORS, seed=3, num_random=2))
    for name, read in (("random biLM", ""), ("random CoVe", f" on {VECTORS}")):
        seeds = [f"seed {seed}{read}" for seed in (3, 4)]
        assert [one.weights for one in found[name]] == seeds
        first, second = (one.encode(SENTENCES[:1]) for one in found[name])
        assert not torch.equal(first, second)
    assert len(found["biLM"]) == len(found["static vectors"]) == 1


def test_trained_cove_reads_static_vectors(tmp_path: Path) -> None:
    path = tmp_path / "cove.pth"
    lstm = write_cove(path, dim=16, hidden=3)
    found = all_representations(RepresentationConfig(BILM, VECTORS, cove=str(path)))
    assert list(found) == ["static vectors", "CoVe", "random biLM", "biLM"]
    [static], [cove] = found["static vectors"], found["CoVe"]
    assert (cove.weights, cove.dim) == (str(path), 6)
    with torch.no_grad():
        vectors = cove.encode(SENTENCES)
        for row, sentence in enumerate(SENTENCES):
            [expected] = lstm(static.encode([sentence])[0])[0]
            torch.testing.assert_close(vectors[1, row, : len(sentence)], expected)
            assert not vectors[:, row, len(sentence) :].any()


def test_cove_of_another_dimension_raises(tmp_path: Path) -> None:
    path = tmp_path / "cove.pth"
    write_cove(path, dim=6)
    message = f"{VECTORS}: expected the 6 dimensions that {path} reads, found 16"
    with pytest.raises(ValueError, match=re.escape(message)):
        all_representations(RepresentationConfig(BILM, VECTORS, cove=str(path)))


def test_names_with_and_without_static_vectors() -> None:
    names = list(all_representations(RepresentationConfig(BILM, VECTORS)))
    assert names == ["static vectors", "random CoVe", "random biLM", "biLM"]
    names = list(all_representations(RepresentationConfig(BILM)))
    assert names == ["random biLM", "biLM"]
    with pytest.raises(ValueError, match="cove file: expected the static vectors"):
        RepresentationConfig(BILM, cove="file")
