"""`predict`: input lines and predictors."""

from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.commands.predict")
def name_input_lines(module: Any) -> Iterator[None]:
    """AllenNLP's errors name neither the line nor what is wrong in it."""
    yield
    from elmo_plugin.compat.command_errors.predict_manager import PredictManager

    module._PredictManager = PredictManager


@patch_module("allennlp.commands.predict")
def require_predictors(module: Any) -> Iterator[None]:
    """AllenNLP calls whatever a dotted `--predictor` names, with any arguments."""
    yield
    original = module._get_predictor

    @wraps(original)
    def _get_predictor(args: Any) -> Any:
        if args.predictor and not _is_predictor(args.predictor):
            raise module.ConfigurationError(
                f"--predictor {args.predictor}: expected the name of a predictor"
            )
        try:
            return original(args)
        except TypeError as error:
            if args.predictor_args:
                argument = f"--predictor-args {args.predictor_args}"
                raise module.ConfigurationError(f"{argument}: {error}") from error
            raise

    def _is_predictor(name: str) -> bool:
        if not all(name.split(".")):  # a relative import
            return False
        found, _ = module.Predictor.resolve_class_name(name)
        return isinstance(found, type) and issubclass(found, module.Predictor)

    module._get_predictor = _get_predictor
