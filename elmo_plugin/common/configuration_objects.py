"""Finds objects in the configuration of a training run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

ELMO_EMBEDDERS = ("elmo", "elmo_precomputed")


def iter_dicts(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a configuration, at any depth."""
    if isinstance(value, dict):
        yield value
    children = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for child in children:
            yield from iter_dicts(child)


def elmo_embedders(value: Any, *types: str) -> list[dict[str, Any]]:
    """Return every ELMo embedder in a configuration, of all types unless some are given."""
    return [item for item in iter_dicts(value) if item.get("type") in (types or ELMO_EMBEDDERS)]
