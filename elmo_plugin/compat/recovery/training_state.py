"""Training states that can be loaded again."""

from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.training.gradient_descent_trainer")
def save_plain_numbers(module: Any) -> Iterator[None]:
    """Metrics, and the learning rates of `cosine`, may be NumPy scalars, which torch saves but does
    not load with `weights_only`."""
    yield
    trainer = module.GradientDescentTrainer
    original = trainer.get_checkpoint_state

    @wraps(original)
    def get_checkpoint_state(self: Any) -> Any:
        state = original(self)
        return state and state._replace(trainer_state=_plain(state.trainer_state))

    trainer.get_checkpoint_state = get_checkpoint_state


def _plain(state: Any) -> Any:
    import numpy

    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    if isinstance(state, list):
        return [_plain(value) for value in state]
    return state.item() if isinstance(state, numpy.generic) else state


@patch_module("allennlp.training.moving_average")
def fix_moving_average_resume(module: Any) -> Iterator[None]:
    """AllenNLP replaces the trained parameters by the stored copies: from then on, neither do the
    averages change nor does the model get them."""
    yield

    def load_state_dict(self: Any, state: dict[str, Any]) -> None:
        for name, parameter in self._parameters:
            self._shadows[name] = state["shadows"][name].to(parameter.device)
            self._backups[name] = state["backups"][name].to(parameter.device)

    module.MovingAverage.load_state_dict = load_state_dict
