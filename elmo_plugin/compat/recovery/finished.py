"""`--recover` of a finished training run, or of one that has not begun."""

import inspect
import logging
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from elmo_plugin.compat.patching import patch_module
from elmo_plugin.compat.recovery.directory import (
    is_finished,
    remove_leftovers,
    remove_leftovers_before_configuration,
)

logger = logging.getLogger(__name__)


class _FinishedTraining(Exception):
    """There is nothing to recover."""


@patch_module("allennlp.training.util")
def recover_from_any_moment(module: Any) -> Iterator[None]:
    """AllenNLP refuses to recover a training run that was killed before it wrote config.json, and
    trains a finished one again."""
    yield
    original = module.create_serialization_dir

    @wraps(original)
    def create_serialization_dir(
        params: Any, serialization_dir: Any, recover: bool, force: bool
    ) -> None:
        directory = Path(serialization_dir)
        original(
            params,
            directory,
            recover and not remove_leftovers_before_configuration(directory),
            force,
        )
        if recover:
            remove_leftovers(directory)
            if is_finished(directory):
                raise _FinishedTraining

    module.create_serialization_dir = create_serialization_dir


@patch_module("allennlp.commands.train")
def keep_finished_training(module: Any) -> Iterator[None]:
    """AllenNLP writes metrics.json and the archive again, without the last epoch's metrics."""
    yield
    original = module.train_model
    signature = inspect.signature(original)

    @wraps(original)
    def train_model(*args: Any, **kwargs: Any) -> Any:
        arguments = signature.bind(*args, **kwargs)
        arguments.apply_defaults()
        options = arguments.arguments
        try:
            return original(*args, **kwargs)
        except _FinishedTraining:
            params, directory = options["params"], Path(options["serialization_dir"])
            _archive(module, params, directory)
            return_model = options["return_model"]
            if return_model is None:
                return_model = "distributed" not in params
            model = module.Model.load(params.duplicate(), str(directory)) if return_model else None
            logger.info("%s: this training is finished, there is nothing to recover", directory)
            return model

    module.train_model = train_model


def _archive(module: Any, params: Any, directory: Path) -> None:
    """Archive the model, unless there is an archive newer than the metrics; an older one is of an
    interrupted training run."""
    metrics, archive = directory / "metrics.json", directory / "model.tar.gz"
    if not archive.exists() or archive.stat().st_mtime_ns < metrics.stat().st_mtime_ns:
        module.archive_model(directory, include_in_archive=params.get("include_in_archive"))
