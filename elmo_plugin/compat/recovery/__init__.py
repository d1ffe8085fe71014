"""Resumes (`--recover`) or replaces (`--force`) a training run that was killed at any moment."""

from elmo_plugin.compat.recovery import (
    atomic_files,
    directory_lock,
    early_stopping,
    finished,
    replaced,
    saved_vocabulary,
    training_state,
)
