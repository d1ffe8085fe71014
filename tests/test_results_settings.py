"""The table of settings in results/README.md has all in which the results' models differ."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _jsonnet
import pytest

ROOT = Path(__file__).parents[1]
TASKS = {
    "SQuAD": ("squad", "elmo_both"),
    "SNLI": ("snli", "elmo_both"),
    "SRL": ("srl", "elmo"),
    "coreference": ("coref", "elmo"),
    "NER": ("ner", "elmo"),
    "SST-5": ("sst5", "elmo"),
}
# What follows from other settings, the data or the protocol, or does not change scores.
FOLLOWS = re.compile(
    r"(?<!residual_encoder\.encoder\.)input_(size|dim)|\binitializer\b|embedder_dims|head_dim|"
    r"token_embedders\.tokens\.|pretrained_files|_path|"
    r"^validation_dataset_reader|optimizer\.(lr|rho|eps)|cache_gigabytes|options_file|weight_file|"
    r"use_subtrees|min_tokens|^model\.max_span_width"
)


def settings(task: str, model: str, overrides: str = "{}") -> dict[str, Any]:
    base = f"import '{ROOT}/training_configs/{task}/{model}.jsonnet'"
    config = json.loads(_jsonnet.evaluate_snippet(task, f"({base}) + {overrides}"))
    return dict(leaves(config))


def leaves(config: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield values by path; a list of plain values is one value."""
    nested = isinstance(config, dict) or (
        isinstance(config, list) and any(isinstance(value, (dict, list)) for value in config)
    )
    if not nested:
        yield path, config
        return
    pairs = config.items() if isinstance(config, dict) else enumerate(config)
    for key, value in pairs:
        yield from leaves(value, f"{path}.{key}" if path else str(key))


def shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "all" if value is None else str(value)  # sentences per document


def rows(task: str) -> list[tuple[str, str]]:
    """Return the two values of each row of a task."""
    text = (ROOT / "results/README.md").read_text(encoding="utf-8")
    section = text.partition("## Differences from the published settings")[2].partition("\n## ")[0]
    return re.findall(rf"^\| {task} \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", section, re.MULTILINE)


@pytest.mark.parametrize("title", TASKS)
def test_table_has_all_differences(title: str) -> None:
    task, model = TASKS[title]
    overrides = (
        f"(import '{ROOT}/benchmarks/data.libsonnet') + "
        f"(import '{ROOT}/benchmarks/two_cores.libsonnet').{task}"
    )
    published, ours = settings(task, model), settings(task, model, overrides)
    changed = {
        (shown(published.get(path)), shown(ours.get(path)))
        for path in published.keys() | ours.keys()
        if published.get(path) != ours.get(path) and not FOLLOWS.search(path)
    }
    stated = rows(title)
    assert set(stated) == changed
    assert bool(stated) == (title != "NER")
