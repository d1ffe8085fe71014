"""Senses that the layers of a representation predict."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy

from elmo_plugin.experiments.intrinsic.representations import Representation
from elmo_plugin.experiments.intrinsic.sense_text import SenseText
from elmo_plugin.experiments.intrinsic.senses import SenseCentroids, predict_senses

Predicted = list[Optional[str]]
"""A sense for each instance of a text, or `None`."""


class LayerPredictions(NamedTuple):
    """Predictions of one layer."""

    name: str
    """Name of the representation."""
    layer: str
    senses: Predicted


def predict_by_layer(
    representation: Representation,
    train: SenseText,
    test: SenseText,
    first: dict[str, str],
    centered: bool = False,
) -> list[LayerPredictions]:
    """
    Predict senses by the nearest centroid, with the vectors of each layer.

    # Parameters

    representation : `Representation`
    train : `SenseText`
        Text that the centroids are computed from.
    test : `SenseText`
        Text to predict.
    first : `Dict[str, str]`
        Senses of lemmas that `train` does not have.
    centered : `bool`, optional (default = `False`)
        Also predict with vectors from which their mean in `train` is subtracted.

    # Returns

    `List[LayerPredictions]` : one per layer; with `centered`, each followed by its centered one.
    """
    found = []
    vectors = zip(train.vectors(representation), test.vectors(representation))
    for layer, (x, y) in zip(representation.layers, vectors):
        predicted = _predict(x, y, train, test, first)
        found.append(LayerPredictions(representation.name, layer, predicted))
        if centered:
            mean = x.mean(0)
            predicted = _predict(x - mean, y - mean, train, test, first)
            found.append(LayerPredictions(f"{representation.name}, centered", layer, predicted))
    return found


def _predict(
    x: numpy.ndarray, y: numpy.ndarray, train: SenseText, test: SenseText, first: dict[str, str]
) -> Predicted:
    centroids = SenseCentroids(x, train.lemmas, train.senses)
    return predict_senses(centroids, y, test.lemmas, first)
