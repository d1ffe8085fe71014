"""Validation metrics that a model lacks, or that are not finite."""

import math
from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.command_errors.divergence import ADVICE
from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.training.metric_tracker")
def check_validation_metrics(module: Any) -> Iterator[None]:
    """
    AllenNLP's error for an unknown validation metric does not list the model's metrics. If one is
    infinite or nan, AllenNLP goes on, and archives the model.
    """
    yield
    original = module.MetricTracker.combined_score

    def checked(self: Any, metrics: dict[str, float]) -> float:
        for _, name in self.tracked_metrics:
            if name not in metrics:
                expected = f"one of {', '.join(sorted(metrics)):.300}, got {name!r:.80}"
            elif not math.isfinite(metrics[name]):
                expected = f"a finite {name}, got {metrics[name]}; {ADVICE}"
            else:
                continue
            raise module.ConfigurationError(f"trainer.validation_metric: expected {expected}")
        return original(self, metrics)

    module.MetricTracker.combined_score = in_commands(checked, otherwise=original)
