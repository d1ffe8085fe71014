"""Checkpoints that are there whole or not at all."""

import io
import math
import os
import time
from pathlib import Path
from typing import Any, Optional, Union

import torch
from allennlp.common.util import is_distributed
from allennlp.training import Checkpointer, Trainer

from elmo_plugin.weights.whole_file import whole_file


@Checkpointer.register("whole_files")
class WholeFilesCheckpointer(Checkpointer):
    """
    AllenNLP's `Checkpointer`, except that each file is written under a temporary name and moved
    when it is whole, and that a checkpoint counts when both of its files are there: a process may
    be killed, or the disk become full, at any moment, and the checkpoint before is still the last.
    Time decides in distributed training too, by the primary process's clock.

    Registered as a `Checkpointer` with name "whole_files". Parameters as AllenNLP's.
    """

    def __init__(
        self,
        serialization_dir: Union[str, os.PathLike],
        save_completed_epochs: bool = True,
        save_every_num_seconds: Optional[float] = None,
        save_every_num_batches: Optional[int] = None,
        keep_most_recent_by_count: Optional[int] = 2,
        keep_most_recent_by_age: Optional[int] = None,
    ) -> None:
        super().__init__(
            serialization_dir,
            save_completed_epochs=save_completed_epochs,
            save_every_num_batches=save_every_num_batches,
            keep_most_recent_by_count=keep_most_recent_by_count,
            keep_most_recent_by_age=keep_most_recent_by_age,
        )
        # Not given to AllenNLP's, which has it in one process only.
        self._save_every_num_seconds = save_every_num_seconds
        self._saved_at = time.time()
        if self._is_primary:
            self._remove_leftovers()

    def maybe_save_checkpoint(
        self, trainer: Trainer, num_epochs_completed: int, num_batches_in_epoch_completed: int
    ) -> bool:
        if is_distributed() and self._save_every_num_seconds is not None:
            due = self._primary_finds_it_due(trainer)
            self._last_save_time = -math.inf if due else math.inf
        saved = super().maybe_save_checkpoint(
            trainer, num_epochs_completed, num_batches_in_epoch_completed
        )
        if saved:
            # AllenNLP's notes this in the primary process only; the others would save again.
            self._last_save_num_epochs_completed = num_epochs_completed
            self._last_save_num_batches_in_epoch_completed = num_batches_in_epoch_completed
            self._saved_at = time.time()
        return saved

    def save_checkpoint(self, trainer: Trainer) -> None:
        state = trainer.get_checkpoint_state()
        if state is not None:
            completed = [
                state.trainer_state[f"{name}_completed"] for name in ("epochs", "batches_in_epoch")
            ]
            _save(state.trainer_state, self._training_state_path(*completed))
            _save(state.model_state, self._model_state_path(*completed))
        # Finds both files there; counts, and removes what is no longer kept.
        super().save_checkpoint(trainer)

    def _find_all_checkpoints(self) -> set[tuple[int, int]]:
        return {
            completed
            for completed in super()._find_all_checkpoints()
            if Path(self._training_state_path(*completed)).is_file()
        }

    def _primary_finds_it_due(self, trainer: Trainer) -> bool:
        due = time.time() - self._saved_at >= (self._save_every_num_seconds or 0)
        decision = torch.tensor(int(due), device=trainer.cuda_device)
        torch.distributed.broadcast(decision, 0)
        return bool(decision)

    def _remove_leftovers(self) -> None:
        for name in ("model_state", "training_state", "best"):
            for file in Path(self._serialization_dir).glob(f".{name}*.th.*"):
                file.unlink()


def _save(state: dict[str, Any], path: str) -> None:
    # In memory first: PyTorch does not say what the system says of a full disk.
    content = io.BytesIO()
    torch.save(state, content)
    with whole_file(path) as temporary:
        temporary.write_bytes(content.getbuffer())
