"""Loads an embedder once per process for the same arguments."""

from __future__ import annotations

from functools import lru_cache

from elmo_plugin.embedding.embedder import Embedder
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.weights.bilm_file import Precision

_MAX_MODELS = 4


@lru_cache(_MAX_MODELS)
def load_embedder(
    bilm: str, device: str, precision: Precision, initial_state: InitialState
) -> Embedder:
    """Return the embedder of these arguments, see `Embedder`; the four last used are kept."""
    return Embedder(bilm, device=device, precision=precision, initial_state=initial_state)
