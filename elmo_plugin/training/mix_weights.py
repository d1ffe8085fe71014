"""The TrainerCallback `mix_weights`: logs the layer weights after every epoch."""

import json
import logging
from pathlib import Path
from typing import Any

from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.weights.learned_mixes import find_mixes

logger = logging.getLogger(__name__)

FILE = "mix_weights.jsonl"


@TrainerCallback.register("mix_weights")
class MixWeights(TrainerCallback):
    """
    Logs s_j and gamma of every mix (equation 1) before the first epoch and after each, and adds
    them to `mix_weights.jsonl` in the training's folder: a JSON object per mix, with `epochs`
    trained so far, `name`, `weights` and `gamma`. A resumed training continues the file from the
    checkpoint.

    Registered as a `TrainerCallback` with name "mix_weights".

    # Parameters

    serialization_dir : `str`
        Passed by the trainer.
    """

    def __init__(self, serialization_dir: str) -> None:
        super().__init__(serialization_dir)
        self._file = Path(serialization_dir, FILE)
        self._lines: list[str] = []

    def state_dict(self) -> dict[str, Any]:
        return {"lines": list(self._lines)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._lines = list(state_dict["lines"])

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        if not is_primary:
            return
        if self._lines:
            self._save()  # without the epochs after the checkpoint that is resumed
        else:
            self._add(trainer, epochs=0)

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        if is_primary:
            self._add(trainer, epochs=epoch + 1)

    def _add(self, trainer: GradientDescentTrainer, epochs: int) -> None:
        for mix in find_mixes(trainer.model.state_dict()):
            weights = " ".join(f"{weight:.3f}" for weight in mix.weights)
            logger.info("%s: s = %s, gamma = %.3f", mix.name, weights, mix.gamma)
            self._lines.append(json.dumps({"epochs": epochs, **mix._asdict()}))
        self._save()

    def _save(self) -> None:
        with atomic_write(self._file) as file:
            file.write_text("".join(f"{line}\n" for line in self._lines), encoding="utf-8")
