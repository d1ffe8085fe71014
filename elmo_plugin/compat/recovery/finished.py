"""`--recover` of a finished training run, or of one that has not begun."""

import inspect
import logging
from pathlib import Path
from typing import Any

from elmo_plugin.compat.patching import wrap
from elmo_plugin.compat.recovery.directory import (
    is_finished,
    remove_leftovers,
    remove_leftovers_before_configuration,
)

logger = logging.getLogger(__name__)


class _FinishedTraining(Exception):
    """There is nothing to recover."""


@wrap("allennlp.training.util", "create_serialization_dir")
def recover_from_any_moment(
    original: Any, params: Any, serialization_dir: Any, recover: bool, force: bool
) -> None:
    """AllenNLP refuses to recover a training run that was killed before it wrote config.json, and
    trains a finished one again."""
    directory = Path(serialization_dir)
    resumes = recover and not remove_leftovers_before_configuration(directory)
    original(params, directory, resumes, force)
    if recover:
        remove_leftovers(directory)
        if is_finished(directory):
            raise _FinishedTraining


@wrap("allennlp.commands.train", "train_model")
def keep_finished_training(original: Any, *args: Any, **kwargs: Any) -> Any:
    """AllenNLP writes metrics.json and the archive again, without the last epoch's metrics."""
    from allennlp.models import Model

    arguments = inspect.signature(original).bind(*args, **kwargs)
    arguments.apply_defaults()
    options = arguments.arguments
    try:
        return original(*args, **kwargs)
    except _FinishedTraining:
        params, directory = options["params"], Path(options["serialization_dir"])
        _archive(params, directory)
        return_model = options["return_model"]
        if return_model is None:
            return_model = "distributed" not in params
        model = Model.load(params.duplicate(), str(directory)) if return_model else None
        logger.info("%s: this training is finished, there is nothing to recover", directory)
        return model


def _archive(params: Any, directory: Path) -> None:
    """Archive the model, unless there is an archive newer than the metrics; an older one is of an
    interrupted training run."""
    from allennlp.models.archival import archive_model

    metrics, archive = directory / "metrics.json", directory / "model.tar.gz"
    if not archive.exists() or archive.stat().st_mtime_ns < metrics.stat().st_mtime_ns:
        archive_model(directory, include_in_archive=params.get("include_in_archive"))
