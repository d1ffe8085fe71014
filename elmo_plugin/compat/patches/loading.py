"""So that weights and training states are loaded whole, and without running what is in them."""

import sys
import warnings
from collections.abc import Iterator
from functools import wraps
from typing import Any

import numpy

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp")
def load_weights_only(module: Any) -> Iterator[None]:
    """AllenNLP leaves it to torch whether a file may run code as it is loaded; until 2.6, it may.

    Its own calls of `torch.load` are made to say no; those of other packages are not touched.
    """
    yield
    import torch

    # Until 2.2, torch warned of its own storages as it loaded weights only.
    warnings.filterwarnings("ignore", "TypedStorage is deprecated", UserWarning)
    original = torch.load

    @wraps(original)
    def load(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.startswith(("allennlp.", "allennlp_models.")):
            kwargs.setdefault("weights_only", True)
        return original(*args, **kwargs)

    torch.load = load


@patch_module("allennlp.nn.util")
def name_broken_weights(module: Any) -> Iterator[None]:
    """`torch.load` takes damaged weights for others; of a file that holds none it says neither this
    nor its name, but how to have it run code."""
    yield
    original = module.read_state_dict

    @wraps(original)
    def read_state_dict(path: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        from elmo_plugin.compat.integrity import weights_file

        with weights_file(path):
            return original(path, *args, **kwargs)

    module.read_state_dict = read_state_dict


@patch_module("allennlp.training.gradient_descent_trainer")
def save_plain_training_states(module: Any) -> Iterator[None]:
    """Metrics, and the learning rates of `cosine`, may be NumPy's numbers, which torch will save
    but, loading weights only, not load: then no training could be resumed."""
    yield
    trainer = module.GradientDescentTrainer
    original = trainer.get_checkpoint_state

    @wraps(original)
    def get_checkpoint_state(self: Any) -> Any:
        state = original(self)
        return state and state._replace(trainer_state=_plain(state.trainer_state))

    trainer.get_checkpoint_state = get_checkpoint_state


def _plain(state: Any) -> Any:
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    if isinstance(state, list):
        return [_plain(value) for value in state]
    return state.item() if isinstance(state, numpy.generic) else state
