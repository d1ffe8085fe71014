"""Trained biLMs in every form."""

from __future__ import annotations

from typing import Any

import torch
from allennlp.models import Model
from allennlp.training.callbacks import TrainerCallback

from tests.helpers.bilm_training import TINY

# None of them a default of the model's or of a configuration's.
ODD = {
    **TINY,
    "dataset_reader.max_characters": 20,
    "model.max_characters": 20,
    "model.num_highways": 3,
    "model.activation": "tanh",
    "model.cell_clip": None,
    "model.projection_clip": 2.0,
    "model.residual": False,
    "trainer.num_epochs": 1,
}


Weights = dict[str, torch.Tensor]


@TrainerCallback.register("keep_the_first_weights")
class KeepTheFirstWeights(TrainerCallback):
    weights: dict[int, Weights] = {}  # noqa: RUF012

    def on_start(self, trainer: Any, is_primary: bool = True, **kwargs: Any) -> None:
        self.weights[0] = copy_weights(trainer.model)

    def on_batch(self, trainer: Any, *args: Any, **kwargs: Any) -> None:
        if kwargs["is_training"]:
            self.weights[len(self.weights)] = copy_weights(trainer.model)


def copy_weights(model: Model) -> Weights:
    return {name: weight.clone() for name, weight in model.named_parameters()}


PUBLISHED = {
    "options.json": "elmo_2x32_16_options.json",
    "weights.hdf5": "elmo_2x32_16_weights.hdf5",
    "softmax.hdf5": "elmo_2x32_16_softmax_weights.hdf5",
    "vocabulary.txt": "vocab-2016-09-10.txt",
}


FORMS = ("", "model.tar.gz", "files", "files/weights.hdf5", "published/elmo_2x32_16_weights.hdf5")
