"""Files that a killed training leaves in its directory."""

import json
import os
import shutil
from pathlib import Path

from elmo_plugin.common import atomic_write

_LEFTOVER_VOCABULARIES = "vocabulary/.writing-*"


def has_checkpoint(directory: Path) -> bool:
    """Return True if a training run can be resumed from this directory."""
    return any(directory.glob("training_state_e*.th"))


def is_training(directory: Path) -> bool:
    """Return True if the configuration of a training run is there, or nothing but leftovers."""
    try:
        configuration = json.loads((directory / "config.json").read_bytes())
    except FileNotFoundError:
        return _has_only_leftovers(directory)
    except (OSError, ValueError):
        return False
    return isinstance(configuration, dict) and {"model", "trainer"} <= configuration.keys()


def is_finished(directory: Path) -> bool:
    """Return True if the metrics are there, which are written at the end of a training run."""
    try:
        json.loads((directory / "metrics.json").read_bytes())
    except (FileNotFoundError, ValueError):
        return False
    return True


def remove_leftovers(directory: Path) -> None:
    """Remove the temporary files of a killed process."""
    atomic_write.remove_leftovers(directory)
    for folder in directory.glob(_LEFTOVER_VOCABULARIES):
        shutil.rmtree(folder)


def remove_leftovers_before_configuration(directory: Path) -> bool:
    """Return True, and remove the leftovers, if a training run was killed before it wrote
    config.json. AllenNLP starts a new one in an empty directory."""
    if not directory.is_dir() or not _has_only_leftovers(directory):
        return False
    remove_leftovers(directory)
    return True


def _has_only_leftovers(directory: Path) -> bool:
    return all(name.startswith(".config.json.") for name in os.listdir(directory))
