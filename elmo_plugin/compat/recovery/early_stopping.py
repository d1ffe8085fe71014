"""`--recover` after the last epoch."""

import json
from pathlib import Path
from typing import Any

from elmo_plugin.compat.patching import wrap


@wrap("allennlp.training.gradient_descent_trainer", "GradientDescentTrainer._try_train")
def end_after_last_epoch(original: Any, self: Any) -> Any:
    """When a training run was killed after its last checkpoint, AllenNLP loses the metrics of the
    last epoch; if patience had ended the training, it trains another epoch."""
    completed = self._start_after_epochs_completed
    if self._metric_tracker.should_stop_early():
        self._num_epochs = completed
    metrics, epoch = original(self)
    if 0 < completed == self._num_epochs:
        file = Path(self._serialization_dir, f"metrics_epoch_{completed - 1}.json")
        metrics = json.loads(file.read_bytes())
    return metrics, epoch
