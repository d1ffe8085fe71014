"""Trains task models, each configuration once."""

from __future__ import annotations

import gc
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
from allennlp.data import DataLoader, DatasetReader, Instance

from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    mix_locations,
    validation_metric,
)
from elmo_plugin.experiments.runner.evaluations import evaluate_archive
from elmo_plugin.experiments.runner.fingerprints import content_hash, fingerprint
from elmo_plugin.experiments.runner.run_files import (
    Evaluation,
    Run,
    read_evaluation,
    read_run,
    write_record,
)
from elmo_plugin.reporting.provenance import code_version, machine
from elmo_plugin.weights.learned_mixes import find_mixes

_DIGITS = 12
_RUN, _ARCHIVE, _EVALUATION = ".json", ".tar.gz", ".test.json"


class Runs:
    """
    Trains configurations that are not finished, and keeps the outcomes.

    # Parameters

    directory : `Path`
        Holds a JSON file and the archive of each finished training, a second JSON file with its
        score on test data, and a folder for each unfinished training.
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
        folder = self._folder(name, key)
        # Training does not see the test data.
        run = _train({**config, "test_data_path": None}, key, folder)
        # A copy, so that a training that is interrupted here can be resumed.
        shutil.copyfile(folder / "model.tar.gz", f"{folder}{_ARCHIVE}")
        write_record(run, Path(f"{folder}{_RUN}"))
        shutil.rmtree(folder)
        gc.collect()  # the trainer and its model refer to each other, and ELMo's cache is large
        return run

    def find(self, config: Configuration) -> Run | None:
        """Return the finished run, or `None`."""
        stem = self._stem(config)
        return None if stem is None else read_run(Path(f"{stem}{_RUN}"))

    def evaluate(self, config: Configuration) -> Evaluation | None:
        """
        Score a finished run on the test data of its configuration, once: later calls return what
        the first has stored. Return `None` for a configuration without test data.
        """
        stem, data = self._stem(config), config.get("test_data_path")
        if stem is None or data is None:
            return None
        stored, data_hash = Path(f"{stem}{_EVALUATION}"), content_hash(data)
        if stored.exists() and (found := read_evaluation(stored)).data_hash == data_hash:
            return found
        archive = Path(f"{stem}{_ARCHIVE}")
        evaluation = evaluate_archive(archive, config, fingerprint(config), data_hash)
        write_record(evaluation, stored)
        return evaluation

    def discard_archive(self, config: Configuration) -> None:
        """Delete the archive of a run that will not be scored on test data."""
        Path(f"{self._stem(config)}{_ARCHIVE}").unlink(missing_ok=True)

    def finish_all(self, trainings: Mapping[str, Configuration]) -> dict[str, Run]:
        """Finish trainings in order, by name, and report progress on standard error."""
        runs: dict[str, Run] = {}
        for name, config in trainings.items():
            runs[name] = run = self.finish(name, config)
            progress = f"{len(runs)} of {len(trainings)}: {name}, {run.metric} {run.score:.2f}"
            print(progress, file=sys.stderr)
        return runs

    def _folder(self, name: str, key: str) -> Path:
        """Return the folder of an unfinished training, which may have begun under another name."""
        begun = [path for path in self._directory.glob(f"*-{key[:_DIGITS]}") if path.is_dir()]
        readable = re.sub("[^a-zA-Z0-9_.]+", "-", name)
        return begun[0] if begun else self._directory / f"{readable}-{key[:_DIGITS]}"

    def _stem(self, config: Configuration) -> str | None:
        """Return the path of a finished run's files without their suffix."""
        files = sorted(self._directory.glob(f"*-{fingerprint(config)[:_DIGITS]}{_RUN}"))
        return str(files[0]).removesuffix(_RUN) if files else None


def training_batches(config: Configuration) -> DataLoader:
    """Return the loader of the training data. Its length is the number of updates per epoch."""
    reader = _reader(config, "dataset_reader")
    params = Params(deepcopy(config["data_loader"]))
    return DataLoader.from_params(params, reader=reader, data_path=config["train_data_path"])


def _train(config: Configuration, key: str, folder: Path) -> Run:
    metric, commit = validation_metric(config), code_version()
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
        scored_on=len(read_part(config, "validation")),
        parameters=sum(p.numel() for p in model.parameters() if p.requires_grad),
        seconds=seconds,
        resumed=resumed,
        machine=machine(),
        commit=commit,
    )


def read_part(config: Configuration, part: str) -> list[Instance]:
    """Read the instances of a configuration's "train" or "validation" data."""
    key = "dataset_reader" if part == "train" else f"{part}_dataset_reader"
    return list(_reader(config, key).read(config[f"{part}_data_path"]))


def _reader(config: Configuration, key: str) -> DatasetReader:
    reader = config[key] if key in config else config["dataset_reader"]
    return DatasetReader.from_params(Params(deepcopy(reader)))


def _scores(folder: Path, metric: str) -> Iterator[float]:
    for epoch in range(len(list(folder.glob("metrics_epoch_*.json")))):
        content = json.loads((folder / f"metrics_epoch_{epoch}.json").read_text())
        yield content[f"validation_{metric}"]
