"""Finished trainings, each one a JSON file that is found again by what was trained on what."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Union

from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.json_text import read_json
from elmo_plugin.experiments.runner.configurations import (
    ELMO_EMBEDDERS,
    Configuration,
    mix_places,
    objects,
    validation_metric,
)
from elmo_plugin.experiments.runner.mixes import Mix, find_mixes
from elmo_plugin.reporting.provenance import code_version, machine
from elmo_plugin.weights.resolve import BUILT_IN_FOLDER

_DIGITS = 12


@dataclass(frozen=True)
class Run:
    """What a training came to. Scores are the configuration's validation metric, in percent."""

    fingerprint: str
    """Of the configuration and of what was in its files; equal means the same training."""
    model: str
    """Its type."""
    metric: str
    scores: list[float]
    """After each epoch."""
    mixes: list[Mix]
    """What the model of the best epoch weights the biLM's layers with."""
    places: list[str]
    """Of each mix: "input" or "output"."""
    updates: int
    """In an epoch."""
    trained_on: int
    scored_on: int
    """Instances."""
    parameters: int
    """That were trained."""
    seconds: int
    resumed: bool
    """Interrupted once at least; `seconds` are then only those after."""
    machine: str
    commit: str

    @property
    def score(self) -> float:
        return max(self.scores)

    @property
    def best_epoch(self) -> int:
        """From 1."""
        return self.scores.index(self.score) + 1


class Runs:
    """
    Trains, unless that has been done, and keeps what came out.

    # Parameters

    directory : `Path`
        Of one JSON file for each finished training, and of the folders of those under way.
    """

    def __init__(self, directory: Union[str, Path]) -> None:
        self._directory = Path(directory)

    def finish(self, name: str, config: Configuration) -> Run:
        """
        Goes on where the same training was interrupted.

        # Parameters

        name : `str`
            The file's, before the fingerprint: for people.
        config : `Dict[str, Any]`
            Evaluated, as AllenNLP's `train_model` takes it.
        """
        finished = self.find(config)
        if finished is not None:
            return finished
        key = fingerprint(config)
        self._directory.mkdir(parents=True, exist_ok=True)
        folder = self._directory / f"{re.sub('[^a-zA-Z0-9_.]+', '-', name)}-{key[:_DIGITS]}"
        run = _train(config, key, folder)
        with atomic_write(folder.with_name(f"{folder.name}.json")) as file:
            file.write_text(json.dumps(asdict(run), default=tuple, indent=1) + "\n")
        shutil.rmtree(folder)
        return run

    def find(self, config: Configuration) -> Run | None:
        """If it has been finished."""
        files = sorted(self._directory.glob(f"*-{fingerprint(config)[:_DIGITS]}.json"))
        return read_run(files[0]) if files else None

    def finish_all(self, trainings: Mapping[str, Configuration]) -> dict[str, Run]:
        """Each by its name, in the order given, with a line about the progress after each."""
        runs: dict[str, Run] = {}
        for name, config in trainings.items():
            runs[name] = run = self.finish(name, config)
            print(f"{len(runs)} of {len(trainings)}: {name}, {run.metric} {run.score:.2f}")
        return runs


@configuration_errors()
def read_run(file: Path) -> Run:
    """
    # Raises

    `ConfigurationError` : another file.
    """
    content = read_json(file)
    for field in fields(Run):
        value = content.get(field.name) if isinstance(content, dict) else content
        if not _FITS[field.type](value):
            raise ConfigurationError(
                f"{file}: expected a finished training as `elmo layers --runs` writes it, with "
                f"{field.name} of type {field.type}, found {value!r:.80}"
            )
    mixes, places = len(content["mixes"]), len(content["places"])
    if mixes != places:
        raise ConfigurationError(
            f"{file}: expected as many places as mixes, found {places} and {mixes}"
        )
    run = {field.name: content[field.name] for field in fields(Run)}
    return Run(**{**run, "mixes": [Mix(*mix) for mix in content["mixes"]]})


def _is_number(value: Any) -> bool:
    # What a float can be: an int in JSON may be larger.
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_number, value))


def _is_mix(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != len(Mix._fields):
        return False
    name, weights, gamma = value
    return isinstance(name, str) and _are_numbers(weights) and _is_number(gamma)


# Whether a value read from JSON is of a type of `Run`'s fields.
_FITS: dict[Any, Callable[[Any], bool]] = {
    "str": lambda value: isinstance(value, str),
    "int": lambda value: type(value) is int,
    "bool": lambda value: isinstance(value, bool),
    "list[float]": _are_numbers,
    "list[str]": lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value),
    "list[Mix]": lambda value: isinstance(value, list) and all(map(_is_mix, value)),
}


def fingerprint(config: Configuration) -> str:
    """Of the configuration and of what is in its files, wherever they lie."""
    digest = hashlib.sha256()
    content = json.loads(json.dumps(_without_checkpoints(config)), object_hook=_with_contents)
    digest.update(json.dumps(content, sort_keys=True).encode())
    if any(_built_in(item) for item in objects(config)):
        digest.update(_content(BUILT_IN_FOLDER / "weights.hdf5").encode())
    return digest.hexdigest()


def _without_checkpoints(config: Configuration) -> Configuration:
    """How a training is resumed has no part in what it comes to."""
    trainer = dict(config.get("trainer", {}))
    if trainer.get("type") == "resumable":
        del trainer["type"]
    checkpointer = dict(trainer.get("checkpointer", {}))
    if checkpointer.pop("type", None) == "whole_files":
        trainer["checkpointer"] = checkpointer
    return {**config, "trainer": trainer}


def _built_in(item: dict[str, Any]) -> bool:
    return (
        item.get("type") in ELMO_EMBEDDERS and not {"weight_file", "activations_file"} & item.keys()
    )


def _with_contents(item: dict[str, Any]) -> dict[str, Any]:
    """Each path in it replaced by what lies there."""
    return {key: _content(value) if _is_path(value) else value for key, value in item.items()}


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and os.sep in value and Path(value).exists()


def _content(path: Union[str, Path]) -> str:
    path = Path(path)
    files = sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _train(config: Configuration, key: str, folder: Path) -> Run:
    metric = validation_metric(config)
    begun = (folder / "config.json").exists()
    start = time.perf_counter()
    params = Params(deepcopy(config))
    model = train_model(params, folder, recover=begun, force=not begun, file_friendly_logging=True)
    if model is None:  # it is in the workers of a distributed training
        raise ConfigurationError("distributed: expected none in an experiment, found some")
    seconds = round(time.perf_counter() - start)
    batches = training_batches(config)
    validation = _reader(config, "validation_dataset_reader")
    mixes = find_mixes(model.state_dict())
    return Run(
        fingerprint=key,
        model=config["model"]["type"],
        metric=metric,
        scores=[100 * score for score in _scores(folder, metric)],
        mixes=mixes,
        places=mix_places(config, len(mixes)),
        updates=len(batches),
        trained_on=sum(1 for _ in batches.iter_instances()),
        scored_on=sum(1 for _ in validation.read(config["validation_data_path"])),
        parameters=sum(p.numel() for p in model.parameters() if p.requires_grad),
        seconds=seconds,
        resumed=begun,
        machine=machine(),
        commit=code_version(),
    )


def training_batches(config: Configuration) -> DataLoader:
    """Its length is the number of updates in an epoch."""
    reader = _reader(config, "dataset_reader")
    params = Params(deepcopy(config["data_loader"]))
    return DataLoader.from_params(params, reader=reader, data_path=config["train_data_path"])


def _reader(config: Configuration, key: str) -> DatasetReader:
    reader = config[key] if key in config else config["dataset_reader"]
    return DatasetReader.from_params(Params(deepcopy(reader)))


def _scores(folder: Path, metric: str) -> Iterator[float]:
    for epoch in range(len(list(folder.glob("metrics_epoch_*.json")))):
        content = json.loads((folder / f"metrics_epoch_{epoch}.json").read_text())
        yield content[f"validation_{metric}"]
