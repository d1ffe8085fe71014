"""Training runs whose loss is no longer a number."""

from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

ADVICE = "a lower trainer.optimizer.lr or a trainer.grad_norm may help"


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
                f"loss: expected a number, got nan in epoch {epoch}; {ADVICE}"
            ) from error

    trainer._train_epoch = in_commands(checked, otherwise=original)
