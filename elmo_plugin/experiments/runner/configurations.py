"""Task configurations: reading, and what the runner needs to know of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional, Union

from allennlp.common.checks import ConfigurationError
from allennlp.common.params import _environment_variables

from elmo_plugin.common.configuration_objects import elmo_embedders, iter_dicts
from elmo_plugin.common.jsonnet_errors import jsonnet_problem
from elmo_plugin.compat.jsonnet_imports import read_import
from elmo_plugin.weights.resolve import BUILT_IN

Configuration = dict[str, Any]
OUTPUT_ENCODER = "elmo_output"
_INSTALLED = "training_configs/"  # which `read_import` finds from any directory
# Keys that the functions below rely on.
_REQUIRED: dict[str, type] = {
    **dict.fromkeys(("dataset_reader", "model", "data_loader", "trainer"), dict),
    **dict.fromkeys(("train_data_path", "validation_data_path"), str),
}


def read_configuration(
    path: Union[str, Path], overrides: str = "{}", grid_point: Optional[int] = None
) -> Configuration:
    """
    Evaluate a Jsonnet file, extended by `overrides`.

    # Parameters

    path : `str` or `Path`
        A file; or, as in "training_configs/ner/elmo.jsonnet", one that is installed with this
        package.
    overrides : `str`, optional (default = `"{}"`)
        Jsonnet, as in `{ trainer+: { num_epochs: 5 } }` or `import 'my-paths.libsonnet'`. Imports
        are relative to the working directory.
    grid_point : `int`, optional
        Index of the element of the hidden field `grid` that extends the result.

    # Raises

    `ConfigurationError` : names the file and the problem.
    """
    point = "{}" if grid_point is None else f"config.grid[{grid_point}]"
    config = evaluate_configuration(path, overrides, f"config + {point}")
    for key, kind in _REQUIRED.items():
        value = config.get(key) if isinstance(config, dict) else None
        if not isinstance(value, kind):
            expected = "an object" if kind is dict else "a string"
            raise ConfigurationError(f"{path}: {key}: expected {expected}, found {value!r}")
    return config


def evaluate_configuration(path: Union[str, Path], overrides: str, expression: str) -> Any:
    """Evaluate Jsonnet in which `config` is a file's content, extended by `overrides`."""
    if not Path(path).is_file() and not str(path).startswith(_INSTALLED):
        raise ConfigurationError(f"{path}: expected a configuration, found no such file")
    snippet = f"local config = ({import_of(path)}) + ({overrides}); {expression}"
    return evaluate(snippet, f"{path} with the overrides {overrides}")


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
        text = _jsonnet.evaluate_snippet(
            "overrides",
            snippet,
            ext_vars=_environment_variables(),  # as AllenNLP's commands
            import_callback=read_import,
        )
    except (RuntimeError, UnicodeEncodeError) as error:
        raise ConfigurationError(f"{source}: {jsonnet_problem(error)}") from error
    return json.loads(text)


def mix_locations(config: Configuration, mixes: int) -> list[str]:
    """Return "input" or "output" of the task's encoder for each mix of the model, in order."""
    at_output = any(
        item.get("type") == OUTPUT_ENCODER or item.get("use_integrator_output_elmo")
        for item in iter_dicts(config["model"])
    )
    outputs = int(at_output and mixes > 0)
    return ["input"] * (mixes - outputs) + ["output"] * outputs


def numbered_locations(locations: Sequence[str]) -> list[str]:
    """Number the locations that several mixes of a model have, as in "input 1", "input 2"."""
    numbers = [locations[:i].count(location) + 1 for i, location in enumerate(locations)]
    return [
        location if locations.count(location) == 1 else f"{location} {number}"
        for location, number in zip(locations, numbers)
    ]


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


def bilm_weight_files(config: Configuration) -> list[str]:
    """
    Return the files of the biLMs' weights, or of what was embedded with them (`elmo_precomputed`),
    without repetition; "built-in" stands for the built-in biLM. A baseline has none.
    """
    files = [
        item.get("weight_file") or item.get("activations_file", BUILT_IN)
        for item in elmo_embedders(config)
    ]
    return list(dict.fromkeys(files))
