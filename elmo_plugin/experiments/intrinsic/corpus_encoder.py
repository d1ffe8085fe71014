"""Encodes sentences for an index of a corpus, with one vector per token."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Optional

import numpy

from elmo_plugin.embedding.choices import Layers
from elmo_plugin.embedding.embedder import Embedder
from elmo_plugin.experiments.intrinsic.representations import BATCH_SIZE
from elmo_plugin.layers.untrained_bilm import untrained_bilm
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.weights.resolve import BUILT_IN
from elmo_plugin.weights.state_checksum import sha256_of_weights


class IndexConfig(NamedTuple):
    """The origin of an index's vectors."""

    layers: Layers
    """A layer's number, "last" or "average"."""
    bilm: str = BUILT_IN
    """A path or name, see `load_bilm_from`."""
    random_seed: Optional[int] = None
    """Use an untrained biLM of the same shape with this seed."""

    def __str__(self) -> str:
        layer = f"layer {self.layers}" if isinstance(self.layers, int) else self.layers
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
            bilm = untrained_bilm(bilm, config.random_seed)
        self._embedder = Embedder(bilm, device=device)
        self._config = config
        self.dim = self._embedder.dim
        last = self._embedder.num_layers - 1
        if isinstance(config.layers, int) and not 0 <= config.layers <= last:
            raise ValueError(
                f"layers: expected average, last or a layer of {config.bilm}, 0 to {last}, "
                f"got {config.layers}"
            )

    def fingerprint(self) -> str:
        """Return a hash of the biLM's weights."""
        return sha256_of_weights(self._embedder.bilm)[:16]

    def stream(
        self, sentences: Iterable[list[str]], batch_size: int = BATCH_SIZE
    ) -> Iterator[numpy.ndarray]:
        """Yield an array of shape (tokens, dim) for each sentence."""
        for vectors in self._embedder.stream(sentences, self._config.layers, batch_size=batch_size):
            if not numpy.isfinite(vectors).all():
                path = self._config.bilm
                raise ValueError(f"{path}: expected finite vectors, found NaN or infinity")
            yield vectors
