"""Training runs whose loss is no longer a number."""

from typing import Any

from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.configuration_error import configuration_error

ADVICE = "a lower trainer.optimizer.lr or a trainer.grad_norm may help"


@wrap_in_commands(
    "allennlp.training.gradient_descent_trainer", "GradientDescentTrainer._train_epoch"
)
def name_loss_that_is_nan(original: Any, self: Any, epoch: int) -> Any:
    """AllenNLP stops at a loss that is not a number, as at an error in the code."""
    try:
        return original(self, epoch)
    except ValueError as error:
        if str(error) != "nan loss encountered":
            raise
        raise configuration_error(
            f"loss: expected a number, got nan in epoch {epoch}; {ADVICE}"
        ) from error
