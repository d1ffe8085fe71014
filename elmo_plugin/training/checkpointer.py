"""The Checkpointer `atomic`: atomic checkpoints with checksums."""

import logging
import math
import os
import time
from pathlib import Path
from typing import Optional, Union

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import is_distributed
from allennlp.training import Checkpointer, Trainer
from allennlp.training.trainer import TrainerCheckpoint

from elmo_plugin.training.state_file import load_state, save_state

logger = logging.getLogger(__name__)

Completed = tuple[int, int]
"""Which checkpoint: epochs completed, and batches of the next epoch."""

_MODEL_CHECKSUM = "model_state_checksum"


@Checkpointer.register("atomic")
class AtomicCheckpointer(Checkpointer):
    """
    AllenNLP's `Checkpointer`, with atomic writes: a process may be killed, or the disk become full,
    at any moment, and the previous checkpoint is still there. A checkpoint is complete when both of
    its files are there. Each file ends with a checksum: a damaged checkpoint is reported and the
    previous one is loaded; if all are damaged, training does not start.
    `save_every_num_seconds` works in distributed training, by the primary process's clock.

    Registered as a `Checkpointer` with name "atomic". Parameters are AllenNLP's.

    # Raises

    `ConfigurationError` : `keep_most_recent_by_count`, `keep_most_recent_by_age` or
    `save_every_num_batches` below 1; `save_every_num_seconds` that is not positive.
    """

    def __init__(
        self,
        serialization_dir: Union[str, "os.PathLike[str]"],
        save_completed_epochs: bool = True,
        save_every_num_seconds: Optional[float] = None,
        save_every_num_batches: Optional[int] = None,
        keep_most_recent_by_count: Optional[int] = 2,
        keep_most_recent_by_age: Optional[int] = None,
    ) -> None:
        limits = {
            "keep_most_recent_by_count": keep_most_recent_by_count,
            "keep_most_recent_by_age": keep_most_recent_by_age,
            "save_every_num_batches": save_every_num_batches,
        }
        for name, limit in limits.items():
            if limit is not None and limit < 1:
                raise ConfigurationError(f"{name}: expected at least 1, got {limit}")
        if save_every_num_seconds is not None and not save_every_num_seconds > 0:
            raise ConfigurationError(
                f"save_every_num_seconds: expected a positive number, got {save_every_num_seconds}"
            )
        super().__init__(
            serialization_dir,
            save_completed_epochs=save_completed_epochs,
            save_every_num_batches=save_every_num_batches,
            keep_most_recent_by_count=keep_most_recent_by_count,
            keep_most_recent_by_age=keep_most_recent_by_age,
        )
        # Not passed to AllenNLP's, which checks it in one process only.
        self._save_every_num_seconds = save_every_num_seconds
        self._saved_at = time.time()
        self._damaged: set[Completed] = set()
        self._is_local_primary = True

    @property
    def _is_primary(self) -> bool:
        # AllenNLP's is the primary process of all machines, but each machine has its own directory.
        return self._is_local_primary

    def maybe_save_checkpoint(
        self, trainer: Trainer, num_epochs_completed: int, num_batches_in_epoch_completed: int
    ) -> bool:
        if is_distributed() and self._save_every_num_seconds is not None:
            due = self._is_due_in_primary(trainer)
            self._last_save_time = -math.inf if due else math.inf
        saved = super().maybe_save_checkpoint(
            trainer, num_epochs_completed, num_batches_in_epoch_completed
        )
        if saved:
            # AllenNLP's records this in the primary process only; the others would save again.
            self._last_save_num_epochs_completed = num_epochs_completed
            self._last_save_num_batches_in_epoch_completed = num_batches_in_epoch_completed
            self._saved_at = time.time()
        return saved

    def save_checkpoint(self, trainer: Trainer) -> None:
        self._is_local_primary = trainer._primary
        state = trainer.get_checkpoint_state()
        if state is not None:
            epochs, batches = (
                state.trainer_state[f"{name}_completed"] for name in ("epochs", "batches_in_epoch")
            )
            checksum = save_state(state.model_state, self._model_state_path(epochs, batches))
            state.trainer_state[_MODEL_CHECKSUM] = checksum
            save_state(state.trainer_state, self._training_state_path(epochs, batches))
            self._damaged.discard((epochs, batches))
        # AllenNLP's finds both files there, and removes checkpoints that are no longer kept.
        super().save_checkpoint(trainer)
        if self._is_primary:
            self._remove_files_before(min(self._find_all_checkpoints()))

    def load_checkpoint(self) -> Optional[TrainerCheckpoint]:
        """
        Load the newest undamaged checkpoint; None if there are no checkpoints.

        # Raises

        `ConfigurationError` : all checkpoints are damaged.
        """
        complete = self._find_all_checkpoints()
        errors = []
        for completed in sorted(self._find_files() - self._damaged, reverse=True):
            try:
                return self._load(completed)
            except ValueError as error:
                logger.warning("%s; this checkpoint is skipped", error)
                self._damaged.add(completed)
                errors.append(str(error))
        if complete:
            raise ConfigurationError(
                f"{self._serialization_dir}: expected an undamaged checkpoint to recover from, "
                f"found none: {'; '.join(errors)}"
            )
        return None

    def _load(self, completed: Completed) -> TrainerCheckpoint:
        training_path = self._training_state_path(*completed)
        training_state = load_state(training_path)
        if _MODEL_CHECKSUM not in training_state:
            raise ValueError(f"{training_path}: expected a training state, found another file")
        model_path = self._model_state_path(*completed)
        model_state = load_state(model_path, training_state[_MODEL_CHECKSUM])
        # So that later checkpoints are written when an uninterrupted training writes them.
        self._last_save_num_epochs_completed = completed[0]
        self._last_save_num_batches_in_epoch_completed = completed[1]
        return TrainerCheckpoint(model_state, training_state)

    def _find_all_checkpoints(self) -> set[Completed]:
        return {
            completed
            for completed in super()._find_all_checkpoints() - self._damaged
            if Path(self._training_state_path(*completed)).is_file()
        }

    def _find_files(self) -> set[Completed]:
        """Find all checkpoints, with those that lack a file."""
        files = Path(self._serialization_dir).glob("*_state_e*.th")
        return {completed for file in files for completed in self._parse(file.name)}

    def _parse(self, name: str) -> set[Completed]:
        """Return the checkpoint that a file belongs to; empty for other files."""
        found = {self._parse_model_state_path(name), self._parse_training_state_path(name)}
        return {completed for completed in found if completed is not None}

    def _remove_files_before(self, oldest: Completed) -> None:
        for completed in self._find_files():
            if completed < oldest:
                self._remove_checkpoint(*completed)

    def _remove_checkpoint(self, *completed: int) -> None:
        # AllenNLP's pattern for batch 100 also matches the files of batch 1000.
        for file in Path(self._serialization_dir).glob("*_state_e*.th"):
            if completed in self._parse(file.name):
                file.unlink()

    def _is_due_in_primary(self, trainer: Trainer) -> bool:
        due = time.time() - self._saved_at >= (self._save_every_num_seconds or 0)
        decision = torch.tensor(int(due), device=trainer.cuda_device)
        torch.distributed.broadcast(decision, 0)
        return bool(decision)
