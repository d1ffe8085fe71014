"""Loads an embedder once per process for the same arguments."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from elmo_plugin.embedding.embedder import Embedder
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.weights.bilm_file import Precision
from elmo_plugin.weights.resolve import LanguageModelFiles, resolve

_MAX_MODELS = 4
_OF_MODELS = ("config.json", "weights.th", "best.th")


def load_embedder(
    bilm: str, device: str, precision: Precision, initial_state: InitialState
) -> Embedder:
    """
    Return the embedder of these arguments, see `Embedder`; the four last used are kept. A biLM
    whose files have changed is loaded again.
    """
    return _load(bilm, device, precision, initial_state, _versions(bilm))


def _versions(bilm: str) -> tuple[tuple[int, int], ...]:
    """Return the modification time and size of a biLM's files on this machine."""
    source = resolve(bilm)
    if isinstance(source, LanguageModelFiles):
        files = [Path(source.options), Path(source.weights)]
    else:
        files = [Path(source.path), *(Path(source.path, name) for name in _OF_MODELS)]
    found = [file.stat() for file in files if file.is_file()]
    return tuple((file.st_mtime_ns, file.st_size) for file in found)


@lru_cache(_MAX_MODELS)
def _load(
    bilm: str,
    device: str,
    precision: Precision,
    initial_state: InitialState,
    versions: tuple[tuple[int, int], ...],
) -> Embedder:
    return Embedder(bilm, device=device, precision=precision, initial_state=initial_state)
