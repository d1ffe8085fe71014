"""`predict`: input lines and predictors."""

from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.configuration_error import configuration_error
from elmo_plugin.compat.patching import patch_module, wrap


@patch_module("allennlp.commands.predict")
def name_input_lines(module: Any) -> Iterator[None]:
    """AllenNLP's errors name neither the line nor what is wrong in it."""
    yield
    from elmo_plugin.compat.command_errors.predict_manager import PredictManager

    module._PredictManager = PredictManager


@wrap("allennlp.commands.predict", "_get_predictor")
def require_predictors(original: Any, args: Any) -> Any:
    """AllenNLP calls whatever a dotted `--predictor` names, with any arguments."""
    if args.predictor and not _is_predictor(args.predictor):
        raise configuration_error(f"--predictor {args.predictor}: expected the name of a predictor")
    try:
        return original(args)
    except TypeError as error:
        if args.predictor_args:
            argument = f"--predictor-args {args.predictor_args}"
            raise configuration_error(f"{argument}: {error}") from error
        raise


def _is_predictor(name: str) -> bool:
    from allennlp.predictors import Predictor

    if not all(name.split(".")):  # a relative import
        return False
    found, _ = Predictor.resolve_class_name(name)
    return isinstance(found, type) and issubclass(found, Predictor)
