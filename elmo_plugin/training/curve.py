"""The TrainerCallback `bilm_curve`: writes training and held-out losses to a file."""

import json
import time
from pathlib import Path
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.data import TensorDict
from allennlp.training import GradientDescentTrainer, TrainerCallback

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.json_text import to_json

CURVE = "curve.jsonl"


@TrainerCallback.register("bilm_curve")
class BilmCurve(TrainerCallback):
    """
    Writes curve.jsonl in the training's folder. Every `every` batches, it adds a JSON object with
    `batch` and `words`, the numbers so far; `training_loss`, the mean over these batches in nats
    per word (an estimate, where the softmax is sampled); `learning_rate`; and `seconds` of
    training. After each epoch, it adds one with `epoch` and the `validation_...` metrics. A resumed
    training continues the file from the checkpoint. In distributed training, the loss is that of
    the primary process.

    Registered as a `TrainerCallback` with name "bilm_curve".

    # Parameters

    every : `int`, optional (default = `100`)
        Batches between entries.

    # Raises

    `ConfigurationError` : `every` below 1.
    """

    def __init__(self, serialization_dir: str, every: int = 100) -> None:
        super().__init__(serialization_dir)
        if every < 1:
            raise ConfigurationError(f"bilm_curve every: expected at least 1, got {every}")
        self._every = every
        self._file = Path(serialization_dir, CURVE)
        self._done: dict[str, float] = {"batch": 0, "words": 0, "epoch": 0, "seconds": 0.0}
        self._losses: list[float] = []
        self._started = time.time()

    def state_dict(self) -> dict[str, Any]:
        done = {**self._done, "seconds": self._seconds()}
        return {"done": done, "losses": self._losses}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._done, self._losses = dict(state_dict["done"]), list(state_dict["losses"])

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        self._started = time.time() - self._done["seconds"]
        if not is_primary:
            return
        earlier = self._file.read_bytes().splitlines() if self._file.exists() else []
        kept = [line + b"\n" for number, line in enumerate(earlier, 1) if self._keeps(line, number)]
        with atomic_write(self._file) as file:
            file.write_bytes(b"".join(kept))

    def on_batch(
        self,
        trainer: GradientDescentTrainer,
        batch_inputs: list[TensorDict],
        batch_outputs: list[dict[str, Any]],
        batch_metrics: dict[str, Any],
        epoch: int,
        batch_number: int,
        is_training: bool,
        is_primary: bool = True,
        batch_grad_norm: Optional[float] = None,
        **kwargs: Any,
    ) -> None:
        if not is_training or not is_primary:
            return
        for inputs, outputs in zip(batch_inputs, batch_outputs):
            text: Any = inputs["text"]
            _, rows, unroll_steps = text["targets"].shape
            self._losses.append(outputs["loss"].item() / unroll_steps)
            self._done["words"] += rows * unroll_steps * trainer._world_size
        self._done["batch"] += 1
        if self._done["batch"] % self._every == 0:
            self._write(
                training_loss=sum(self._losses) / len(self._losses),
                learning_rate=trainer.optimizer.param_groups[0]["lr"],
            )
            self._losses = []

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        self._done["epoch"] = epoch + 1
        if is_primary:
            validation = {k: v for k, v in metrics.items() if k.startswith("validation_")}
            self._write(epoch=epoch, **validation)

    def _write(self, **values: float) -> None:
        position = {"batch": self._done["batch"], "words": self._done["words"]}
        line = {**position, **values, "seconds": round(self._seconds(), 1)}
        with open(self._file, "a", encoding="utf-8") as file:
            file.write(to_json(line) + "\n")

    def _seconds(self) -> float:
        return time.time() - self._started

    def _keeps(self, line: bytes, number: int) -> bool:
        try:
            written = json.loads(line)
        except (RecursionError, ValueError):  # truncated when the process was killed
            return False
        try:
            if "epoch" in written:
                return written["epoch"] < self._done["epoch"]
            return written["batch"] <= self._done["batch"]
        except (LookupError, TypeError) as error:
            raise ConfigurationError(
                f"{self._file}, line {number}: expected an object with a batch or an epoch, "
                f"found {written!r:.80}"
            ) from error
