"""Encodes sentences for an index of a corpus, with one vector per token."""

from __future__ import annotations

import hashlib
from typing import NamedTuple, Optional

import numpy
import torch

from elmo_plugin.experiments.intrinsic.representations import Sentences, random_bilm
from elmo_plugin.layers import ScalarMix, batch_to_ids
from elmo_plugin.layers.scalar_mix import MixKind
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.weights.resolve import BUILT_IN


class IndexConfig(NamedTuple):
    """The origin of an index's vectors."""

    mix: MixKind
    """A layer's number, "last" or "average"."""
    bilm: str = BUILT_IN
    """A path or name, see `load_bilm_from`."""
    random_seed: Optional[int] = None
    """Use an untrained biLM of the same shape with this seed."""

    def __str__(self) -> str:
        layer = f"layer {self.mix}" if isinstance(self.mix, int) else self.mix
        return f"{'biLM' if self.random_seed is None else 'random biLM'}, {layer}"


class CorpusEncoder:
    """
    Encodes sentences with one layer or mix of a biLM.

    # Parameters

    config : `IndexConfig`
    device : `str`, optional (default = `"cpu"`)

    # Raises

    `ValueError` : a layer that the biLM does not have.
    """

    def __init__(self, config: IndexConfig, device: str = "cpu") -> None:
        bilm = load_bilm_from(config.bilm)
        if config.random_seed is not None:
            bilm = random_bilm(bilm, config.random_seed)
        layers = bilm.config.num_layers
        if isinstance(config.mix, int) and not 0 <= config.mix <= layers:
            raise ValueError(
                f"layers: expected average, last or a layer of {config.bilm}, 0 to {layers}, "
                f"got {config.mix}"
            )
        self._device = device
        self._mix = ScalarMix(layers + 1, config.mix).to(self._device)
        self._bilm = bilm.to(self._device)
        self._path = config.bilm
        self.dim = bilm.output_dim

    def fingerprint(self) -> str:
        """Return a hash of the biLM's weights."""
        digest = hashlib.sha256()
        for name, weight in sorted(self._bilm.state_dict().items()):
            digest.update(name.encode() + weight.cpu().numpy().tobytes())
        return digest.hexdigest()[:16]

    def __call__(self, sentences: Sentences) -> list[numpy.ndarray]:
        """Return an array of shape (tokens, dim) for each sentence."""
        ids = batch_to_ids(sentences, self._bilm.config.max_characters).to(self._device)
        with torch.inference_mode():
            output = self._bilm(ids)
            mixed = self._mix(output.layers, output.mask).cpu().numpy()
        if not numpy.isfinite(mixed).all():
            raise ValueError(f"{self._path}: expected finite vectors, found NaN or infinity")
        return [vectors[: len(words)] for vectors, words in zip(mixed, sentences)]
