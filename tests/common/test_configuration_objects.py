"""Finding objects in configurations."""

from __future__ import annotations

from typing import Any

from elmo_plugin.common.configuration_objects import elmo_embedders, iter_dicts


def test_iter_dicts_finds_objects_at_any_depth() -> None:
    inner: dict[str, Any] = {"type": "b"}
    outer = {"type": "a", "list": [[inner], 3], "other": "x"}
    assert list(iter_dicts(outer)) == [outer, inner]


def test_elmo_embedders_of_all_types_or_of_one() -> None:
    computed, precomputed = {"type": "elmo"}, {"type": "elmo_precomputed"}
    config = {"model": [{"type": "embedding"}, {"a": computed}, {"b": precomputed}]}
    assert elmo_embedders(config) == [computed, precomputed]
    assert elmo_embedders(config, "elmo") == [computed]
