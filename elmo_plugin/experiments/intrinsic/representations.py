"""The biLM and its baselines, as vectors of tokens: the rows of Tables 5 and 6."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Optional

import torch

from elmo_plugin.data.static_vectors import StaticVectors, read_static_vectors
from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.layers.cove import Cove
from elmo_plugin.layers.untrained_bilm import untrained_bilm
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.weights.cove_file import load_cove
from elmo_plugin.weights.resolve import BUILT_IN

Sentences = Sequence[list[str]]
BATCH_SIZE = 64
BILM = "biLM"
"""Name of the trained biLM among the representations."""
AVERAGE = "average"
"""Name of the mean of a biLM's layers among them."""


@dataclass(frozen=True)
class RepresentationConfig:
    """
    The weights of a biLM and of its baselines.

    # Parameters

    bilm : `str`, optional (default = `"built-in"`)
    vectors : `str`, optional
        Static word vectors in GloVe's text format. Without them there are neither static vectors
        nor CoVe, which reads them.
    cove : `str`, optional
        CoVe's published weights; random ones if not given.
    seed : `int`, optional (default = `0`)
        First seed of random weights.
    device : `str`, optional (default = `"cpu"`)
    batch_size : `int`, optional (default = `64`)
        Sentences per batch.
    num_random : `int`, optional (default = `1`)
        Number of seeds of random weights, consecutive from `seed`.

    # Raises

    `ValueError` : `cove` without `vectors`.
    """

    bilm: str = BUILT_IN
    vectors: Optional[str] = None
    cove: Optional[str] = None
    seed: int = 0
    device: str = "cpu"
    batch_size: int = BATCH_SIZE
    num_random: int = 1

    @property
    def random_seeds(self) -> range:
        """The seeds of random weights."""
        return range(self.seed, self.seed + self.num_random)

    def __post_init__(self) -> None:
        if self.cove is not None and self.vectors is None:
            raise ValueError(
                f"cove {self.cove}: expected the static vectors (--vectors) that it reads, got none"
            )


@dataclass(frozen=True)
class Representation:
    """One or more layers of vectors for every token of a sentence."""

    name: str
    weights: str
    """Their source."""
    layers: list[str]
    dim: int
    encode: Callable[[Sentences], torch.Tensor]
    """Sentences to vectors of shape (layers, batch, tokens, dim)."""
    batch_size: int = BATCH_SIZE


def all_representations(config: RepresentationConfig) -> dict[str, list[Representation]]:
    """
    Return static vectors, CoVe, a random biLM and the biLM by name: several of random weights, one
    per seed, and one of the others.
    """
    bilm = load_bilm_from(config.bilm)
    random_bilms = [
        bilm_representation("random biLM", untrained_bilm(bilm, seed), f"seed {seed}", config)
        for seed in config.random_seeds
    ]
    found = [*random_bilms, bilm_representation(BILM, bilm, config.bilm, config)]
    if config.vectors is not None:
        vectors = read_static_vectors(config.vectors)
        found = [static_representation(vectors, config.vectors), *_coves(config, vectors), *found]
    return {one.name: [other for other in found if other.name == one.name] for one in found}


def _coves(config: RepresentationConfig, vectors: StaticVectors) -> list[Representation]:
    if config.cove is None:
        return [
            cove_representation(
                "random CoVe",
                _random_cove(vectors.dim, seed),
                vectors,
                f"seed {seed} on {config.vectors}",
                config,
            )
            for seed in config.random_seeds
        ]
    cove = load_cove(config.cove)
    if cove.input_dim != vectors.dim:
        raise ValueError(
            f"{config.vectors}: expected the {cove.input_dim} dimensions that {config.cove} "
            f"reads, found {vectors.dim}"
        )
    return [cove_representation("CoVe", cove, vectors, config.cove, config)]


def _random_cove(dim: int, seed: int) -> Cove:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # `torch.manual_seed` also seeds all GPUs
        return Cove(dim).eval()


def bilm_representation(
    name: str, bilm: Bilm, weights: str, config: RepresentationConfig
) -> Representation:
    """Represent tokens by each layer of a biLM, and by their average."""
    bilm.to(config.device)
    names = [*map(str, range(bilm.mixture_size)), AVERAGE]

    def encode(sentences: Sentences) -> torch.Tensor:
        ids = batch_to_ids(sentences, bilm.config.max_characters).to(config.device)
        layers = bilm(ids).layers
        return torch.cat([layers, layers.mean(0, keepdim=True)])

    return Representation(name, weights, names, bilm.output_dim, encode, config.batch_size)


def static_representation(vectors: StaticVectors, weights: str) -> Representation:
    """Represent tokens by static vectors, a single layer."""
    return Representation(
        "static vectors", weights, [""], vectors.dim, lambda s: vectors.embed(s)[None]
    )


def cove_representation(
    name: str, cove: Cove, vectors: StaticVectors, weights: str, config: RepresentationConfig
) -> Representation:
    """Represent tokens by each of CoVe's two layers."""
    cove.to(config.device)

    def encode(sentences: Sentences) -> torch.Tensor:
        lengths = torch.tensor([len(sentence) for sentence in sentences])
        mask = torch.arange(int(lengths.max())) < lengths.unsqueeze(1)
        return cove(vectors.embed(sentences).to(config.device), mask.to(config.device))

    return Representation(name, weights, ["1", "2"], cove.output_dim, encode, config.batch_size)
