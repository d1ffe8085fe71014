"""The TrainerCallback `mix_weights`: logs the layer weights after every epoch."""

import json
import logging
from pathlib import Path
from typing import Any

from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from elmo_plugin.weights.learned_mixes import find_mixes

logger = logging.getLogger(__name__)

FILE = "mix_weights.jsonl"


@TrainerCallback.register("mix_weights")
class MixWeights(TrainerCallback):
    """
    Logs s_j and gamma of every mix (equation 1) before the first epoch and after each, and adds
    them to `mix_weights.jsonl` in the training's folder: a JSON object per mix, with `epochs`
    trained so far, `name`, `weights` and `gamma`.

    Registered as a `TrainerCallback` with name "mix_weights".

    # Parameters

    serialization_dir : `str`
        Passed by the trainer.
    """

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        file = Path(self.serialization_dir) / FILE
        # A resumed training has written its start already.
        if is_primary and not file.exists():
            self._write(trainer, epochs=0)

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        if is_primary:
            self._write(trainer, epochs=epoch + 1)

    def _write(self, trainer: GradientDescentTrainer, epochs: int) -> None:
        with (Path(self.serialization_dir) / FILE).open("a", encoding="utf-8") as file:
            for mix in find_mixes(trainer.model.state_dict()):
                weights = " ".join(f"{weight:.3f}" for weight in mix.weights)
                logger.info("%s: s = %s, gamma = %.3f", mix.name, weights, mix.gamma)
                file.write(json.dumps({"epochs": epochs, **mix._asdict()}) + "\n")
