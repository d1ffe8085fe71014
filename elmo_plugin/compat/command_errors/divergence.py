"""Training runs whose loss or validation metric is no longer a finite number."""

import math
from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

_ADVICE = "a lower trainer.optimizer.lr or a trainer.grad_norm may help"


@patch_module("allennlp.training.gradient_descent_trainer")
def name_loss_that_is_nan(module: Any) -> Iterator[None]:
    """AllenNLP stops at a loss that is not a number, as at an error in the code."""
    yield
    from allennlp.common.checks import ConfigurationError

    trainer = module.GradientDescentTrainer
    original = trainer._train_epoch

    def checked(self: Any, epoch: int) -> Any:
        try:
            return original(self, epoch)
        except ValueError as error:
            if str(error) != "nan loss encountered":
                raise
            raise ConfigurationError(
                f"loss: expected a number, got nan in epoch {epoch}; {_ADVICE}"
            ) from error

    trainer._train_epoch = in_commands(checked, otherwise=original)


@patch_module("allennlp.training.metric_tracker")
def refuse_infinite_metrics(module: Any) -> Iterator[None]:
    """AllenNLP goes on, and archives the model, if the validation metric is infinite or nan."""
    yield
    original = module.MetricTracker.add_metrics

    def checked(self: Any, metrics: dict[str, float]) -> None:
        for _, name in self.tracked_metrics:
            value = metrics.get(name, 0.0)
            if not math.isfinite(value):
                raise module.ConfigurationError(
                    f"trainer.validation_metric: expected a finite {name}, got {value}; {_ADVICE}"
                )
        original(self, metrics)

    module.MetricTracker.add_metrics = in_commands(checked, otherwise=original)
