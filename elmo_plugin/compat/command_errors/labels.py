"""Data without labels in a training run."""

from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.training.gradient_descent_trainer")
def require_labels(module: Any) -> Iterator[None]:
    """AllenNLP reports training data without labels as an error in the model's code, and validates
    on data without labels, where every metric is 0."""
    yield
    from allennlp.common.checks import ConfigurationError

    trainer = module.GradientDescentTrainer
    original = trainer.batch_outputs

    def checked(self: Any, batch: Any, for_training: bool) -> Any:
        try:
            outputs = original(self, batch, for_training)
        except RuntimeError as error:
            if "'loss' key" not in str(error):
                raise
            raise ConfigurationError(
                f"train_data_path: expected labels, found only {name_fields(batch)}, for which the "
                "model returns no loss"
            ) from error
        if for_training:
            self._fields_of_training = set(batch)
        elif "loss" not in outputs and not self._fields_of_training <= set(batch):
            missing = ", ".join(sorted(self._fields_of_training - set(batch)))
            raise ConfigurationError(
                f"validation_data_path: expected {missing} as in the training data, found only "
                f"{name_fields(batch)}"
            )
        return outputs

    def name_fields(batch: Any) -> str:
        return ", ".join(sorted(set(batch) - {"metadata"}))

    trainer._fields_of_training = frozenset()
    trainer.batch_outputs = in_commands(checked, otherwise=original)
