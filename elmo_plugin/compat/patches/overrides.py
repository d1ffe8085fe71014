"""`--overrides` of AllenNLP's commands."""

from collections.abc import Iterator
from functools import partial, wraps
from types import SimpleNamespace
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.commands.build_vocab", "allennlp.commands.count_instances")
def apply_overrides(module: Any) -> Iterator[None]:
    """These two commands take the option and ignore it."""
    yield
    name = f"{module.__name__.rpartition('.')[2]}_from_args"
    original, read = getattr(module, name), module.Params.from_file

    @wraps(original)
    def run(args: Any) -> None:
        overridden = partial(read, params_overrides=args.overrides)
        module.Params = SimpleNamespace(from_file=overridden)
        original(args)

    setattr(module, name, run)
