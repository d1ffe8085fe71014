"""Replaces the biLM of a configuration by an untrained one."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Optional

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.intrinsic.representations import random_bilm
from elmo_plugin.experiments.runner.changes import with_elmo
from elmo_plugin.experiments.runner.configurations import (
    ELMO_EMBEDDERS,
    Configuration,
    iter_dicts,
)
from elmo_plugin.pretrained import load_bilm_or_pretrained
from elmo_plugin.weights import save_bilm
from elmo_plugin.weights.resolve import OPTIONS, WEIGHTS


def with_random_bilm(config: Configuration, folder: Path, seed: int) -> Configuration:
    """
    Replace the biLM by an untrained one of the same shape, whose files are written to `folder`.

    # Raises

    `ConfigurationError` : no embedder of type "elmo".
    """
    embedders = [item for item in iter_dicts(config) if item.get("type") == ELMO_EMBEDDERS[0]]
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
    shape = hashlib.sha256(repr(bilm.config).encode()).hexdigest()[:8]
    path = folder / f"random-bilm-{shape}-{seed}"
    if not (path / OPTIONS).exists():  # written last
        path.mkdir(parents=True, exist_ok=True)
        save_bilm(random_bilm(bilm, seed), path / OPTIONS, path / WEIGHTS)
    return path
