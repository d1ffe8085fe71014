"""`allennlp diff`."""

from typing import Any

from elmo_plugin.compat.patching import wrap


@wrap("allennlp.commands.diff", "read_state_dict")
def compare_integers(original: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """torch has no mean squared difference of integers, which a biLM's weights contain."""
    return {name: weight.float() for name, weight in original(*args, **kwargs).items()}
