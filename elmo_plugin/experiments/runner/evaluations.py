"""Scores a trained model on test data, with the counts of each instance."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from copy import deepcopy
from pathlib import Path

import numpy
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader
from allennlp.evaluation import SimpleEvaluator
from allennlp.models import Model
from allennlp.models.archival import load_archive

from elmo_plugin.common.configuration_objects import iter_dicts
from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    validation_metric,
)
from elmo_plugin.experiments.runner.instance_counts import count_instances
from elmo_plugin.experiments.runner.known_words import add_words_with_vectors
from elmo_plugin.experiments.runner.run_files import TOLERANCE, Evaluation
from elmo_plugin.experiments.runner.shared_texts import text_groups
from elmo_plugin.experiments.runner.unknown_roles import replace_unknown_roles
from elmo_plugin.experiments.statistics.groups import sum_by_group
from elmo_plugin.experiments.statistics.scores import score
from elmo_plugin.reporting.provenance import code_version, machine

_BATCH_SIZE = 32


def evaluate_archive(
    archive: Path, config: Configuration, fingerprint: str, data_hash: str
) -> Evaluation:
    """
    Score an archive on its configuration's test data, in their order, with AllenNLP's evaluator.
    A word that has a static vector is known, whether or not it occurred in training.

    # Raises

    `ConfigurationError` : no archive, a label that it does not know (semantic roles excepted), or a
    metric whose counts are not known.
    """
    if not archive.is_file():
        raise ConfigurationError(
            f"{archive}: expected the archive of a finished training run, to score it on "
            f"{config['test_data_path']}, found none; remove the JSON file beside it to train it "
            "again"
        )
    metric = validation_metric(config)
    # As AllenNLP chooses for training.
    device = config["trainer"].get("cuda_device", 0 if torch.cuda.is_available() else -1)
    with redirect_stdout(sys.stderr):  # the log
        model = load_archive(archive, cuda_device=device).model
        counting = count_instances(model, metric)
        loader = _test_batches(config)
        add_words_with_vectors(model, config, loader.iter_instances())
        replace_unknown_roles(model, loader.iter_instances())
        _index(loader, model, config)
        found = 100 * SimpleEvaluator(cuda_device=device)(model, loader)[metric]
    counts = sum_by_group(numpy.array(counting.counts), text_groups(list(loader.iter_instances())))
    if abs(score(counts.sum(0)) - found) > TOLERANCE:
        raise ConfigurationError(
            f"{archive}: expected counts that give the score {found}, found {score(counts.sum(0))}"
        )
    return Evaluation(
        fingerprint=fingerprint,
        data=config["test_data_path"],
        data_hash=data_hash,
        metric=metric,
        score=found,
        instances=len(counting.counts),
        counts=[[_short(value) for value in column] for column in counts.T.tolist()],
        machine=machine(),
        commit=code_version(),
    )


def whole_reader(config: Configuration) -> DatasetReader:
    """Return the reader of all test data, though validation may use a subsample."""
    reader: Configuration = config.get("validation_dataset_reader") or config["dataset_reader"]
    while reader.get("type") == "subsample":
        reader = reader["reader"]
    return DatasetReader.from_params(Params(deepcopy(reader)))


def _test_batches(config: Configuration) -> DataLoader:
    loader = config.get("validation_data_loader", config["data_loader"])
    sizes = (item["batch_size"] for item in iter_dicts(loader) if "batch_size" in item)
    # Not sorted by length, so that instances keep the order of the data.
    params = Params({"batch_size": next(sizes, _BATCH_SIZE), "shuffle": False})
    return DataLoader.from_params(
        params, reader=whole_reader(config), data_path=config["test_data_path"]
    )


def _index(loader: DataLoader, model: Model, config: Configuration) -> None:
    try:
        loader.index_with(model.vocab)
    except KeyError as error:
        raise ConfigurationError(f"{config['test_data_path']}: {error.args[0]}") from error


def _short(value: float) -> float:
    """Return integers as such: files are a third of the size."""
    return int(value) if value == int(value) else value
