"""Trains the model of a configuration."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from copy import deepcopy
from pathlib import Path

from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader, Instance
from allennlp.models import Model
from allennlp.models.archival import CONFIG_NAME

from elmo_plugin.common.checksums import sha256_of
from elmo_plugin.common.downloads import local_path
from elmo_plugin.experiments.runner.code_versions import note_code_version
from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    bilm_weight_files,
    mix_locations,
    validation_metric,
)
from elmo_plugin.experiments.runner.run_files import Run
from elmo_plugin.reporting.provenance import machine
from elmo_plugin.weights.learned_mixes import find_mixes
from elmo_plugin.weights.resolve import BUILT_IN, BUILT_IN_FOLDER, WEIGHTS


def train(config: Configuration, key: str, folder: Path) -> Run:
    """
    Train a configuration with the fingerprint `key`, or resume it if `folder` holds its checkpoint.
    """
    metric = validation_metric(config)
    resumed = _has_begun(folder, config)
    weights = [_sha256(file) for file in bilm_weight_files(config)]
    commits = note_code_version(folder, resumed)
    start = time.perf_counter()
    with redirect_stdout(sys.stderr):  # the log
        try:
            model = train_model(
                Params(deepcopy(config)),
                folder,
                recover=resumed,
                force=not resumed,
                file_friendly_logging=True,
            )
        except (ConfigurationError, ValueError) as error:  # such as a loss that is not a number
            raise ConfigurationError(f"{folder}: {error}") from error
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
        parameters=num_trainable_parameters(model),
        seconds=seconds,
        resumed=resumed,
        machine=machine(),
        commit=", ".join(commits),
        bilm_weights=weights,
    )


def num_trainable_parameters(model: Model) -> int:
    """Return the number of parameters that have a gradient."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def _has_begun(folder: Path, config: Configuration) -> bool:
    """Return True if there is a training run to resume, after storing the present configuration."""
    file = folder / CONFIG_NAME
    if not file.exists():
        return False
    # AllenNLP refuses to resume with another one. It may differ where the outcome does not depend
    # on it, such as in the size of a cache.
    Params(deepcopy(config)).to_file(str(file))
    return True


def _sha256(weight_file: str) -> str:
    file = BUILT_IN_FOLDER / WEIGHTS if weight_file == BUILT_IN else weight_file
    return sha256_of(local_path(str(file)))


def training_batches(config: Configuration) -> DataLoader:
    """Return the loader of the training data. Its length is the number of updates per epoch."""
    reader = _reader(config, "dataset_reader")
    params = Params(deepcopy(config["data_loader"]))
    return DataLoader.from_params(params, reader=reader, data_path=config["train_data_path"])


def read_part(config: Configuration, part: str) -> list[Instance]:
    """Read the instances of a configuration's "train" or "validation" data."""
    key = "dataset_reader" if part == "train" else f"{part}_dataset_reader"
    return list(_reader(config, key).read(config[f"{part}_data_path"]))


def _reader(config: Configuration, key: str) -> DatasetReader:
    reader = config.get(key) or config["dataset_reader"]
    return DatasetReader.from_params(Params(deepcopy(reader)))


def _scores(folder: Path, metric: str) -> Iterator[float]:
    for epoch in range(len(list(folder.glob("metrics_epoch_*.json")))):
        content = json.loads((folder / f"metrics_epoch_{epoch}.json").read_text())
        yield content[f"validation_{metric}"]
