"""An ensemble of trained classifiers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy
from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.experiments.class_predictions import predict
from elmo_plugin.experiments.statistics.significance import (
    bootstrap_interval,
    compare,
    mean_score,
)
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table

Vote = Literal["mean", "majority"]


def ensemble(
    archives: Sequence[str],
    data: str,
    vote: Vote = "mean",
    predictions_file: str | None = None,
    cuda_device: int = -1,
    batch_size: int = 64,
) -> Result:
    """
    Score an ensemble of classifiers, and each of them.

    # Parameters

    archives : `Sequence[str]`
        Archives of models for the same classes, such as several seeds.
    data : `str`
        In the format that the archives' readers read.
    vote : `str`, optional (default = `"mean"`)
        See `combine`.
    predictions_file : `str`, optional
        Written with a JSON object per instance: the label, and probabilities (or shares of the
        votes) by class.
    cuda_device, batch_size : `int`, optional

    # Returns

    `Result` : accuracies.

    # Raises

    `ConfigurationError` : fewer than two archives, another model, other classes or instances.
    """
    if len(archives) < 2:
        raise ConfigurationError(f"ARCHIVE: expected two or more, got {len(archives)}")
    found = [predict(archive, data, cuda_device, batch_size) for archive in archives]
    for archive, one in zip(archives, found):
        if (one.classes, one.gold) != (found[0].classes, found[0].gold):
            raise ConfigurationError(
                f"{archive}: expected the classes and instances of {archives[0]}, "
                f"{len(found[0].gold)} of {found[0].classes}, found {len(one.gold)} of "
                f"{one.classes}"
            )
    probabilities = combine(numpy.stack([one.probabilities for one in found]), vote)
    combined = found[0]._replace(probabilities=probabilities)
    if predictions_file is not None:
        _write(predictions_file, combined.classes, probabilities)
    names = [*archives, f"ensemble, {vote}"]
    rows = [_row(name, one.counts) for name, one in zip(names, [*found, combined])]
    members = numpy.concatenate([one.counts for one in found])
    gain = compare(members, combined.counts, resample_seeds=False)
    metadata = {
        "Data": f"{len(combined.gold)} instances of {data}",
        "Gain over the mean of its members": str(gain),
        "Statistics": "95% CIs are a bootstrap over texts, for these models, not for others that "
        "are trained alike; p is two-sided, from approximate randomization over texts",
    }
    return Result(
        Table(f"Ensemble: {Path(data).name}", ("system", "accuracy", "95% CI"), rows, metadata)
    )


def combine(probabilities: numpy.ndarray, vote: Vote = "mean") -> numpy.ndarray:
    """
    Combine the probabilities of several classifiers.

    # Parameters

    probabilities : `numpy.ndarray`
        Shape (classifiers, instances, classes).
    vote : `str`, optional (default = `"mean"`)
        "mean" of the probabilities; or "majority", the share of the classifiers whose best class it
        is, in which the mean decides between equal shares.

    # Returns

    `numpy.ndarray` : rows that sum to 1. Shape (instances, classes).
    """
    mean = probabilities.mean(0)
    if vote == "mean":
        return mean
    votes = numpy.eye(mean.shape[-1])[probabilities.argmax(-1)].mean(0)
    # Smaller than the difference of any two shares.
    tie_breaker = 1 / (2 * len(probabilities) + 1)
    return (1 - tie_breaker) * votes + tie_breaker * mean


def _row(name: str, counts: numpy.ndarray) -> list[Cell]:
    return [name, mean_score(counts), bootstrap_interval(counts)]


def _write(path: str, classes: list[str], probabilities: numpy.ndarray) -> None:
    with atomic_write(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for row in probabilities.tolist():
            label = classes[row.index(max(row))]
            line = {"label": label, "probabilities": dict(zip(classes, row))}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
