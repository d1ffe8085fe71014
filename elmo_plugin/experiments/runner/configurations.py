"""A task's configuration, and the changes that an experiment makes to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Union

from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.json_text import parse_json
from elmo_plugin.compat.jsonnet_imports import read_import

Configuration = dict[str, Any]
ELMO_EMBEDDERS = ("elmo", "elmo_precomputed")
OUTPUT_ENCODER = "elmo_output"
_MIX_WEIGHTS = "scalar_parameters"
# What the functions below take for granted.
_KINDS: dict[str, type] = {
    **dict.fromkeys(("dataset_reader", "model", "data_loader", "trainer"), dict),
    **dict.fromkeys(("train_data_path", "validation_data_path"), str),
}


def read_configuration(path: Union[str, Path], change: str = "{}") -> Configuration:
    """
    A Jsonnet file, and after it `change`, Jsonnet too, as in
    `{ trainer+: { num_epochs: 5 } }` or `import 'my-paths.libsonnet'`.

    # Raises

    `ConfigurationError` : names the file, or says what is wrong in the change.
    """
    # Not installed where AllenNLP reads no Jsonnet.
    import _jsonnet

    if not Path(path).is_file():
        raise ConfigurationError(f"{path}: expected a configuration, found no such file")
    snippet = f"(import {json.dumps(str(Path(path).resolve()))}) + ({change})"
    try:
        # Named as a file of the current directory, where the imports of the change start from.
        text = _jsonnet.evaluate_snippet("--change", snippet, import_callback=read_import)
        config = parse_json(text, str(path))
    except (RuntimeError, UnicodeEncodeError) as error:
        raise ConfigurationError(f"{path} with the change {change}: {error}") from error
    for key, kind in _KINDS.items():
        value = config.get(key) if isinstance(config, dict) else None
        if not isinstance(value, kind):
            expected = "an object" if kind is dict else "a string"
            raise ConfigurationError(f"{path}: {key}: expected {expected}, found {value!r}")
    return config


def with_seed(config: Configuration, seed: int) -> Configuration:
    return {**config, "random_seed": seed, "numpy_seed": seed, "pytorch_seed": seed}


def with_share(config: Configuration, share: float, seed: int) -> Configuration:
    """Trained on a random share of the instances; scored on all, as before."""
    if share == 1:
        return config
    reader = config["dataset_reader"]
    sampled = {"type": "share", "reader": reader, "share": share, "seed": seed}
    # A copy: AllenNLP empties what it reads.
    return {"validation_dataset_reader": deepcopy(reader), **config, "dataset_reader": sampled}


def with_updates(config: Configuration, updates: int) -> Configuration:
    """With epochs of so many updates, however often these go through the data."""
    loader = config["data_loader"]
    return {
        "validation_data_loader": deepcopy(loader),
        **config,
        "data_loader": {**loader, "batches_per_epoch": updates},
    }


def last_layer_only(config: Configuration) -> Configuration:
    """The biLM's top layer in place of the mix, as in TagLM (Peters et al. 2017)."""

    def change(parent: dict[str, Any]) -> None:
        if parent.get("type") in ELMO_EMBEDDERS:
            parent["mix"] = "last"

    return _changed(config, change)


def with_penalty(config: Configuration, penalty: float) -> Configuration:
    """
    With this lambda in lambda ||w||^2 (section 3.4): on the weights of those mixes that have a
    penalty, or of all if none has one.
    """
    regexes = config["model"].get("regularizer", {}).get("regexes", [])
    if not any(_MIX_WEIGHTS in name for name, _ in regexes):
        regexes = [*regexes, [_MIX_WEIGHTS, None]]
    changed = [
        [name, {"type": "l2", "alpha": penalty} if _MIX_WEIGHTS in name else regularizer]
        for name, regularizer in regexes
    ]
    return {**config, "model": {**config["model"], "regularizer": {"regexes": changed}}}


def mix_places(config: Configuration, mixes: int) -> list[str]:
    """Of each mix of the model, in order: "input" or "output", where the task model takes it."""
    at_output = any(item.get("type") == OUTPUT_ENCODER for item in objects(config["model"]))
    outputs = int(at_output and mixes > 0)
    return ["input"] * (mixes - outputs) + ["output"] * outputs


def validation_metric(config: Configuration) -> str:
    """
    # Raises

    `ConfigurationError` : not a score of which more is better.
    """
    metric = config["trainer"].get("validation_metric", "-loss")
    if not isinstance(metric, str) or not metric.startswith("+"):
        raise ConfigurationError(
            f"trainer.validation_metric: expected one score, more of which is better, as in "
            f"'+accuracy', got {metric!r}"
        )
    return metric[1:]


def _changed(config: Configuration, change: Callable[[dict[str, Any]], None]) -> Configuration:
    """A copy with every object in it changed."""
    config = deepcopy(config)
    before = deepcopy(config)
    for item in objects(config):
        change(item)
    if config == before:
        raise ConfigurationError(
            f"model: expected an embedder of type {' or '.join(ELMO_EMBEDDERS)}, found none"
        )
    return config


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a configuration, at any depth."""
    if isinstance(value, dict):
        yield value
    children = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for child in children:
            yield from objects(child)
