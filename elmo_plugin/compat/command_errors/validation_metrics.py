"""Validation metrics that a model lacks, or that are not finite."""

import math
from typing import Any

from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.command_errors.divergence import ADVICE
from elmo_plugin.compat.configuration_error import configuration_error


@wrap_in_commands("allennlp.training.metric_tracker", "MetricTracker.combined_score")
def check_validation_metrics(original: Any, self: Any, metrics: dict[str, float]) -> float:
    """
    AllenNLP's error for an unknown validation metric does not list the model's metrics. If one is
    infinite or nan, AllenNLP goes on, and archives the model.
    """
    for _, name in self.tracked_metrics:
        if name not in metrics:
            expected = f"one of {', '.join(sorted(metrics)):.300}, got {name!r:.80}"
        elif not math.isfinite(metrics[name]):
            expected = f"a finite {name}, got {metrics[name]}; {ADVICE}"
        else:
            continue
        raise configuration_error(f"trainer.validation_metric: expected {expected}")
    return original(self, metrics)
