"""Task configurations, and the changes that experiments make to them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Union

from allennlp.common.checks import ConfigurationError

from elmo_plugin.compat.jsonnet_imports import read_import

Configuration = dict[str, Any]
ELMO_EMBEDDERS = ("elmo", "elmo_precomputed")
OUTPUT_ENCODER = "elmo_output"
_INSTALLED = "training_configs/"  # which `read_import` finds from any directory
_MIX_WEIGHTS = "scalar_parameters"
# Keys that the functions below rely on.
_REQUIRED: dict[str, type] = {
    **dict.fromkeys(("dataset_reader", "model", "data_loader", "trainer"), dict),
    **dict.fromkeys(("train_data_path", "validation_data_path"), str),
}


def read_configuration(path: Union[str, Path], overrides: str = "{}") -> Configuration:
    """
    Evaluate a Jsonnet file, extended by `overrides`.

    # Parameters

    path : `str` or `Path`
        A file; or, as in "training_configs/ner/elmo.jsonnet", one that is installed with this
        package.
    overrides : `str`, optional (default = `"{}"`)
        Jsonnet, as in `{ trainer+: { num_epochs: 5 } }` or `import 'my-paths.libsonnet'`. Imports
        are relative to the working directory.

    # Raises

    `ConfigurationError` : names the file and the problem.
    """
    if not Path(path).is_file() and not str(path).startswith(_INSTALLED):
        raise ConfigurationError(f"{path}: expected a configuration, found no such file")
    snippet = f"({import_of(path)}) + ({overrides})"
    config = evaluate(snippet, f"{path} with the overrides {overrides}")
    for key, kind in _REQUIRED.items():
        value = config.get(key) if isinstance(config, dict) else None
        if not isinstance(value, kind):
            expected = "an object" if kind is dict else "a string"
            raise ConfigurationError(f"{path}: {key}: expected {expected}, found {value!r}")
    return config


def import_of(path: Union[str, Path]) -> str:
    """Return Jsonnet that imports a file, or what is installed under that name."""
    return f"import {json.dumps(str(Path(path).resolve() if Path(path).is_file() else path))}"


def evaluate(snippet: str, source: str) -> Any:
    """
    Evaluate Jsonnet whose imports are relative to the working directory.

    # Raises

    `ConfigurationError` : names the source and the problem.
    """
    # AllenNLP works without it, but reads JSON only.
    import _jsonnet

    try:
        # The name has no directory, so that imports start from the working directory.
        text = _jsonnet.evaluate_snippet("overrides", snippet, import_callback=read_import)
    except (RuntimeError, UnicodeEncodeError) as error:
        raise ConfigurationError(f"{source}: {error}") from error
    return json.loads(text)


def with_seed(config: Configuration, seed: int) -> Configuration:
    """Set the seeds of Python, NumPy and PyTorch."""
    return {**config, "random_seed": seed, "numpy_seed": seed, "pytorch_seed": seed}


def with_fraction(config: Configuration, fraction: float, seed: int) -> Configuration:
    """Train on a random fraction of the instances. Validation data stay whole."""
    if fraction == 1:
        return config
    reader = config["dataset_reader"]
    subsample = {"type": "share", "reader": reader, "share": fraction, "seed": seed}
    # A copy, because AllenNLP empties the parameters that it reads.
    return {"validation_dataset_reader": deepcopy(reader), **config, "dataset_reader": subsample}


def with_steps_per_epoch(config: Configuration, steps: int) -> Configuration:
    """Set the number of updates per training epoch, whatever the size of the data."""
    loader = config["data_loader"]
    return {
        "validation_data_loader": deepcopy(loader),
        **config,
        "data_loader": {**loader, "batches_per_epoch": steps},
    }


def with_last_layer_only(config: Configuration) -> Configuration:
    """Use the biLM's top layer instead of a weighted mix, as TagLM does (Peters et al. 2017)."""

    def change(parent: dict[str, Any]) -> None:
        if parent.get("type") in ELMO_EMBEDDERS:
            parent["mix"] = "last"

    return _changed(config, change)


def with_penalty(config: Configuration, penalty: float) -> Configuration:
    """
    Set lambda in lambda ||w||^2 (section 3.3) for the mixes that are regularized, or for all mixes
    if none is.
    """
    regexes = config["model"].get("regularizer", {}).get("regexes", [])
    if not any(_MIX_WEIGHTS in name for name, _ in regexes):
        regexes = [*regexes, [_MIX_WEIGHTS, None]]
    changed = [
        [name, {"type": "l2", "alpha": penalty} if _MIX_WEIGHTS in name else regularizer]
        for name, regularizer in regexes
    ]
    return {**config, "model": {**config["model"], "regularizer": {"regexes": changed}}}


def mix_locations(config: Configuration, mixes: int) -> list[str]:
    """Return "input" or "output" of the task's encoder for each mix of the model, in order."""
    at_output = any(
        item.get("type") == OUTPUT_ENCODER or item.get("use_integrator_output_elmo")
        for item in iter_dicts(config["model"])
    )
    outputs = int(at_output and mixes > 0)
    return ["input"] * (mixes - outputs) + ["output"] * outputs


def validation_metric(config: Configuration) -> str:
    """
    Return the name of the validation metric.

    # Raises

    `ConfigurationError` : not one metric that is better when larger.
    """
    metric = config["trainer"].get("validation_metric", "-loss")
    if not isinstance(metric, str) or not metric.startswith("+"):
        raise ConfigurationError(
            "trainer.validation_metric: expected one metric that is better when larger, as in "
            f"'+accuracy', got {metric!r}"
        )
    return metric[1:]


def iter_dicts(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a configuration, at any depth."""
    if isinstance(value, dict):
        yield value
    children = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for child in children:
            yield from iter_dicts(child)


def _changed(config: Configuration, change: Callable[[dict[str, Any]], None]) -> Configuration:
    """Return a copy with `change` applied to every object in it."""
    changed = deepcopy(config)
    for item in iter_dicts(changed):
        change(item)
    if changed == config:
        raise ConfigurationError(
            f"model: expected an embedder of type {' or '.join(ELMO_EMBEDDERS)}, found none"
        )
    return changed
