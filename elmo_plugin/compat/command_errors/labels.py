"""Data without labels in a training run."""

from typing import Any

from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.configuration_error import configuration_error


@wrap_in_commands(
    "allennlp.training.gradient_descent_trainer", "GradientDescentTrainer.batch_outputs"
)
def require_labels(original: Any, self: Any, batch: Any, for_training: bool) -> Any:
    """AllenNLP reports training data without labels as an error in the model's code, and validates
    on data without labels, where every metric is 0."""
    try:
        outputs = original(self, batch, for_training)
    except RuntimeError as error:
        if "'loss' key" not in str(error):
            raise
        raise configuration_error(
            f"train_data_path: expected labels, found only {_name_fields(batch)}, for which the "
            "model returns no loss"
        ) from error
    if for_training:
        self._fields_of_training = set(batch)
    elif "loss" not in outputs:
        missing = sorted(getattr(self, "_fields_of_training", set()) - set(batch))
        if missing:
            raise configuration_error(
                f"validation_data_path: expected {', '.join(missing)} as in the training data, "
                f"found only {_name_fields(batch)}"
            )
    return outputs


def _name_fields(batch: Any) -> str:
    return ", ".join(sorted(set(batch) - {"metadata"}))
