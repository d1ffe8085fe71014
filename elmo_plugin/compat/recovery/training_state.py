"""Training states that can be loaded again."""

from typing import Any

from elmo_plugin.compat.patching import wrap


@wrap("allennlp.training.gradient_descent_trainer", "GradientDescentTrainer.get_checkpoint_state")
def save_plain_numbers(original: Any, self: Any) -> Any:
    """Metrics, and the learning rates of `cosine`, may be NumPy scalars, which torch saves but does
    not load with `weights_only`."""
    state = original(self)
    return state and state._replace(trainer_state=_plain(state.trainer_state))


def _plain(state: Any) -> Any:
    import numpy

    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    if isinstance(state, list):
        return [_plain(value) for value in state]
    return state.item() if isinstance(state, numpy.generic) else state


@wrap("allennlp.training.moving_average", "MovingAverage.load_state_dict")
def fix_moving_average_resume(original: Any, self: Any, state_dict: dict[str, Any]) -> None:
    """AllenNLP replaces the trained parameters by the stored copies: from then on, neither do the
    averages change nor does the model get them."""
    for name, parameter in self._parameters:
        self._shadows[name] = state_dict["shadows"][name].to(parameter.device)
        self._backups[name] = state_dict["backups"][name].to(parameter.device)
