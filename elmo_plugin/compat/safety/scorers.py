"""Metrics that run programs."""

import inspect
from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module
from elmo_plugin.compat.safety.archive_names import current_archive


@patch_module(
    "allennlp.training.metrics.evalb_bracketing_scorer",
    "allennlp_models.structured_prediction.metrics.srl_eval_scorer",
)
def run_own_scorers_only(module: Any) -> Iterator[None]:
    """The first argument of these metrics is where their program lies; one of them is run by the
    shell."""
    yield
    from allennlp.common.checks import ConfigurationError

    metric = getattr(module, "EvalbBracketingScorer", None) or module.SrlEvalScorer
    original = metric.__init__
    signature = inspect.signature(original)
    location = list(signature.parameters.values())[1]

    @wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs).arguments
        found = given.get(location.name, location.default)
        archive = current_archive()
        if archive is not None and found != location.default:
            raise ConfigurationError(
                f"{archive}: {location.name}: expected none, or {location.default}, found "
                f"{found!r}: an archive may not name programs to run"
            )
        original(self, *args, **kwargs)

    metric.__init__ = __init__
