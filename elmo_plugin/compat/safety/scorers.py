"""Metrics that run programs."""

import inspect
from typing import Any

from elmo_plugin.compat.configuration_error import configuration_error
from elmo_plugin.compat.patching import wrap
from elmo_plugin.compat.safety.archive_names import current_archive


@wrap("allennlp.training.metrics.evalb_bracketing_scorer", "EvalbBracketingScorer.__init__")
@wrap(
    "allennlp_models.structured_prediction.metrics.srl_eval_scorer",
    "SrlEvalScorer.__init__",
)
def run_own_scorers_only(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
    """The first argument of these metrics is where their program lies; one of them is run by the
    shell."""
    signature = inspect.signature(original)
    location = list(signature.parameters.values())[1]
    given = signature.bind(self, *args, **kwargs).arguments
    found = given.get(location.name, location.default)
    archive = current_archive()
    if archive is not None and found != location.default:
        raise configuration_error(
            f"{archive}: {location.name}: expected none, or {location.default}, found "
            f"{found!r}: an archive may not name programs to run"
        )
    original(self, *args, **kwargs)
