"""`allennlp find-lr`."""

from collections.abc import Iterator
from functools import wraps
from types import SimpleNamespace
from typing import Any

from elmo_plugin.compat.patching import patch_module

_ALLENNLPS = "gradient_descent"
_DERIVED = "derived_type"


@patch_module("allennlp.commands.find_learning_rate")
def take_derived_trainers(module: Any) -> Iterator[None]:
    """AllenNLP takes its own trainer only, by its name. Those of this package derive from it."""
    yield
    original, trainers = module.find_learning_rate_model, module.Trainer

    @wraps(original)
    def find(params: Any, *args: Any, **kwargs: Any) -> None:
        trainer = params.get("trainer")
        name = trainer.get("type", _ALLENNLPS)
        trainer_class, _ = trainers.resolve_class_name(name)
        if issubclass(trainer_class, module.GradientDescentTrainer):
            params["trainer"] = {**trainer.params, "type": _ALLENNLPS, _DERIVED: name}
        original(params, *args, **kwargs)

    def from_params(params: Any, **extras: Any) -> Any:
        params["type"] = params.pop(_DERIVED)
        return trainers.from_params(params=params, **extras)

    module.find_learning_rate_model = find
    module.Trainer = SimpleNamespace(from_params=from_params)
