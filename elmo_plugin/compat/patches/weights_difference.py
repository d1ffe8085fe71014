"""`allennlp diff`."""

from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.commands.diff")
def compare_integers(module: Any) -> Iterator[None]:
    """torch has no mean squared difference of integers, which a biLM's weights contain."""
    yield
    original = module.read_state_dict

    @wraps(original)
    def read_state_dict(*args: Any, **kwargs: Any) -> dict[str, Any]:
        return {name: weight.float() for name, weight in original(*args, **kwargs).items()}

    module.read_state_dict = read_state_dict
