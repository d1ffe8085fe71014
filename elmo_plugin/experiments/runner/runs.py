"""Trains task models, each configuration once."""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from copy import deepcopy
from pathlib import Path
from typing import Union

from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader

from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    mix_locations,
    validation_metric,
)
from elmo_plugin.experiments.runner.fingerprints import fingerprint
from elmo_plugin.experiments.runner.run_files import Run, read_run, write_run
from elmo_plugin.reporting.provenance import code_version, machine
from elmo_plugin.weights.learned_mixes import find_mixes

_DIGITS = 12


class Runs:
    """
    Trains configurations that are not finished, and keeps the outcomes.

    # Parameters

    directory : `Path`
        Holds a JSON file for each finished training and a folder for each unfinished one.
    """

    def __init__(self, directory: Union[str, Path]) -> None:
        self._directory = Path(directory)

    def finish(self, name: str, config: Configuration) -> Run:
        """
        Return the finished run, or train. An interrupted training is resumed.

        # Parameters

        name : `str`
            Prefix of the file's name, for people.
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
        write_run(run, folder.with_name(f"{folder.name}.json"))
        shutil.rmtree(folder)
        return run

    def find(self, config: Configuration) -> Run | None:
        """Return the finished run, or `None`."""
        files = sorted(self._directory.glob(f"*-{fingerprint(config)[:_DIGITS]}.json"))
        return read_run(files[0]) if files else None

    def finish_all(self, trainings: Mapping[str, Configuration]) -> dict[str, Run]:
        """Finish trainings in order, by name, and report progress on standard error."""
        runs: dict[str, Run] = {}
        for name, config in trainings.items():
            runs[name] = run = self.finish(name, config)
            progress = f"{len(runs)} of {len(trainings)}: {name}, {run.metric} {run.score:.2f}"
            print(progress, file=sys.stderr)
        return runs


def training_batches(config: Configuration) -> DataLoader:
    """Return the loader of the training data. Its length is the number of updates per epoch."""
    reader = _reader(config, "dataset_reader")
    params = Params(deepcopy(config["data_loader"]))
    return DataLoader.from_params(params, reader=reader, data_path=config["train_data_path"])


def _train(config: Configuration, key: str, folder: Path) -> Run:
    metric = validation_metric(config)
    resumed = (folder / "config.json").exists()
    start = time.perf_counter()
    with redirect_stdout(sys.stderr):  # the log
        model = train_model(
            Params(deepcopy(config)),
            folder,
            recover=resumed,
            force=not resumed,
            file_friendly_logging=True,
        )
    if model is None:  # The workers of a distributed training have it.
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
        locations=mix_locations(config, len(mixes)),
        steps_per_epoch=len(batches),
        trained_on=sum(1 for _ in batches.iter_instances()),
        scored_on=sum(1 for _ in validation.read(config["validation_data_path"])),
        parameters=sum(p.numel() for p in model.parameters() if p.requires_grad),
        seconds=seconds,
        resumed=resumed,
        machine=machine(),
        commit=code_version(),
    )


def _reader(config: Configuration, key: str) -> DatasetReader:
    reader = config[key] if key in config else config["dataset_reader"]
    return DatasetReader.from_params(Params(deepcopy(reader)))


def _scores(folder: Path, metric: str) -> Iterator[float]:
    for epoch in range(len(list(folder.glob("metrics_epoch_*.json")))):
        content = json.loads((folder / f"metrics_epoch_{epoch}.json").read_text())
        yield content[f"validation_{metric}"]
