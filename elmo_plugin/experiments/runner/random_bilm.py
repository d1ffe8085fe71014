"""Replaces the biLM of a configuration by an untrained one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.checksums import sha256_of_text
from elmo_plugin.common.configuration_objects import elmo_embedders
from elmo_plugin.experiments.runner.changes import with_elmo
from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.char_ids import batch_to_ids
from elmo_plugin.layers.untrained_bilm import untrained_bilm
from elmo_plugin.pretrained import load_bilm_or_pretrained
from elmo_plugin.weights import save_bilm
from elmo_plugin.weights.resolve import OPTIONS, WEIGHTS

_WORDS = 2000


def with_random_bilm(config: Configuration, folder: Path, seed: int) -> Configuration:
    """
    Replace the biLM by an untrained one of the same shape, with a standardized token layer. Its
    files are written to `folder`.

    # Raises

    `ConfigurationError` : no embedder of type "elmo".
    """
    embedders = elmo_embedders(config, "elmo")
    if not embedders:
        raise ConfigurationError("model: expected an embedder of type elmo, found none")
    original = (embedders[0].get(key) for key in ("options_file", "weight_file"))
    path = _random_bilm(*original, folder, seed)
    return with_elmo(config, options_file=str(path / OPTIONS), weight_file=str(path / WEIGHTS))


@cache
def _random_bilm(
    options_file: Optional[str], weight_file: Optional[str], folder: Path, seed: int
) -> Path:
    bilm = load_bilm_or_pretrained(options_file, weight_file)
    shape = sha256_of_text(repr(bilm.config))[:8]
    path = folder / f"standardized-random-bilm-{shape}-{seed}"
    if not (path / OPTIONS).exists():  # written last
        path.mkdir(parents=True, exist_ok=True)
        untrained = untrained_bilm(bilm, seed)
        standardize_token_layer(untrained, random_words(seed))
        save_bilm(untrained, path / OPTIONS, path / WEIGHTS)
    return path


@torch.no_grad()
def standardize_token_layer(bilm: Bilm, words: Sequence[str]) -> None:
    """
    Give each dimension of the token layer zero mean and unit variance over words, by a linear
    change of its projection (as the data-dependent initialization of "Weight normalization",
    Salimans and Kingma 2016, section 3). Without it, maxima over positions are positive, so that
    all words have nearly the same vector.
    """
    ids = batch_to_ids([[word] for word in words], bilm.config.max_characters)
    vectors = bilm.token_encoder(ids[:, 0])
    projection = bilm.token_encoder.projection
    scale = 1 / vectors.std(0)
    projection.weight.mul_(scale[:, None])
    projection.bias.sub_(vectors.mean(0)).mul_(scale)


def random_words(seed: int) -> list[str]:
    """Return 2,000 strings of up to ten Latin letters."""
    draw = Random(seed)
    return ["".join(draw.choices(ascii_lowercase, k=draw.randint(1, 10))) for _ in range(_WORDS)]
