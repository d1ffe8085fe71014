"""The Trainer `resumable`: resumes a task's training bit-identically."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import TensorDict
from allennlp.training import Trainer
from allennlp.training.trainer import TrainerCheckpoint

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.compat.accumulated_batches import batches_in_update
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.lstm import LstmState
from elmo_plugin.training.checkpointer import AtomicCheckpointer
from elmo_plugin.training.determinism import use_deterministic_algorithms
from elmo_plugin.training.epoch_losses import EpochLosses
from elmo_plugin.training.processes import check_same_checkpoint, gather, global_rank
from elmo_plugin.training.random_state import RandomState, get_random_state, set_random_state
from elmo_plugin.training.read_ahead import ReadAheadLoader, reads_frozen_bilm
from elmo_plugin.training.state_file import read_checksum, save_state
from elmo_plugin.training.validation_rule import ValidationRuleTrainer

logger = logging.getLogger(__name__)

PROCESSES = "processes"
"""Key of the state of each process in a checkpoint's training state."""


@Trainer.register("resumable", constructor="from_partial_objects")
class ResumableTrainer(ValidationRuleTrainer):
    """
    AllenNLP's `GradientDescentTrainer`, whose checkpoints also hold the random state of each
    process, now and at the start of each epoch. With `--recover`, AllenNLP reads again what was
    read before, here in the same order; then dropout continues from the checkpoint, and the weights
    equal those of an uninterrupted training run. The training metrics of the interrupted epoch are
    those since the checkpoint, except its loss. On GPUs, torch's deterministic algorithms are used.

    Registered as a `Trainer` with name "resumable". Parameters are those of "gradient_descent".
    """

    _serialization_dir: Optional[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        use_deterministic_algorithms(self.cuda_device)
        if self._distributed:
            # AllenNLP gives all processes one seed. Dropout and samples differ between them.
            torch.manual_seed((torch.initial_seed() + global_rank()) % 2**64)
        if reads_frozen_bilm(self.model):
            self.data_loader = ReadAheadLoader(self.data_loader, self.model)
            validation = self._validation_data_loader
            if validation is not None:
                self._validation_data_loader = ReadAheadLoader(validation, self.model)
        self._epoch_starts: list[RandomState] = []
        # Of the checkpoint, until training has resumed from it: the random state, whether to
        # validate its epoch, by AllenNLP's callback, and whether the epoch before was validated.
        self._resumed_state: Optional[RandomState] = None
        self._resumed_validates_next: Optional[bool] = None
        self._resumed_validates = True
        self._losses = EpochLosses()

    def batch_outputs(self, batch: TensorDict, for_training: bool) -> dict[str, torch.Tensor]:
        # Not Python's: data loaders draw from it, and have read the epoch's batches again.
        self._continue_random_numbers(python=False)
        outputs = super().batch_outputs(batch, for_training)
        if for_training:
            self._losses.add(outputs, batches_in_update(self))
        return outputs

    def _train_epoch(self, epoch: int) -> dict[str, float]:
        if epoch < len(self._epoch_starts):
            set_random_state(self._epoch_starts[epoch], self.cuda_device)
        else:
            self._continue_random_numbers()
            self._epoch_starts.append(get_random_state(self.cuda_device))
        if self._epochs_completed < self._start_after_epochs_completed:
            metrics = super()._train_epoch(epoch)  # only reads
            self._validates = self._resumed_validates
            return metrics
        if self._resumed_validates_next is not None:
            # As training started, AllenNLP's callback applied the rule of the first epoch.
            self._should_validate_this_epoch = self._resumed_validates_next
            self._resumed_validates_next = None
        metrics = super()._train_epoch(epoch)
        return {**metrics, **self._losses.end_epoch(self._batches_in_epoch_completed)}

    def _continue_random_numbers(self, python: bool = True) -> None:
        state, self._resumed_state = self._resumed_state, None
        if state is not None:
            set_random_state(state, self.cuda_device, python)

    def get_checkpoint_state(self) -> Optional[TrainerCheckpoint]:
        processes = gather(self._process_state())
        checkpoint = super().get_checkpoint_state()
        if checkpoint is not None:
            checkpoint.trainer_state[PROCESSES] = processes
        return checkpoint

    def _maybe_restore_checkpoint(self) -> None:
        state = self._load_training_state()
        check_same_checkpoint(self._serialization_dir, state)
        if state is None:
            return
        self._check_state(state)
        super()._maybe_restore_checkpoint()
        if PROCESSES in state:
            self._restore_process(state[PROCESSES][global_rank()])

    def _load_training_state(self) -> Optional[dict[str, Any]]:
        # The weights in the checkpoint are not used here: AllenNLP's trainer loads them again.
        checkpoint = self._checkpointer.load_checkpoint() if self._checkpointer else None
        return None if checkpoint is None else checkpoint.trainer_state

    def _check_state(self, state: dict[str, Any]) -> None:
        """Raise a `ConfigurationError` if a training run cannot be resumed from a checkpoint."""
        if PROCESSES not in state:
            logger.warning(
                "%s: this checkpoint holds no random state, as another trainer wrote it: dropout "
                "starts from the seed again",
                self._serialization_dir,
            )
            return
        processes = len(state[PROCESSES])
        if processes != self._world_size:
            raise ConfigurationError(
                f"{self._serialization_dir}: expected {processes} processes, as at the start of "
                f"the training, got {self._world_size}"
            )

    def _process_state(self) -> dict[str, Any]:
        return {
            "random_state": get_random_state(self.cuda_device),
            "epoch_starts": self._epoch_starts,
            "scaler": None if self._scaler is None else self._scaler.state_dict(),
            "carried": [[[*state] for state in bilm.carried.states] for bilm in self._bilms()],
            "losses": self._losses.sums,
            "validates": self._validates_next,
            "validated": self._validates,
            "trained": [n for n, p in self.model.named_parameters() if p.requires_grad],
        }

    def _restore_process(self, state: dict[str, Any]) -> None:
        self._resumed_state = state["random_state"]
        self._epoch_starts = state["epoch_starts"]
        self._losses.sums = state.get("losses", {})
        self._resumed_validates_next = state.get("validates")
        # Version 0.2.0 did not store these.
        if self._scaler is not None and state.get("scaler"):
            self._scaler.load_state_dict(state["scaler"])
        for bilm, states in zip(self._bilms(), state.get("carried", [])):
            bilm.carried.states = [self._to_device(layer) for layer in states]
        if "trained" in state:  # which schedules such as gradual unfreezing change
            for name, parameter in self.model.named_parameters():
                parameter.requires_grad_(name in state["trained"])
        self._resumed_validates = state.get("validated", True)
        self._restore_best(self._resumed_validates)

    def _to_device(self, tensors: list[torch.Tensor]) -> LstmState:
        return LstmState(*(tensor.to(self.cuda_device) for tensor in tensors))

    def _bilms(self) -> Iterator[Bilm]:
        return (module for module in self.model.modules() if isinstance(module, Bilm))

    def _save_model_state(self, path: str) -> None:
        save_state((self._ddp_wrapped_model or self.model).state_dict(), path)

    def _load_model_state(self, path: str) -> None:
        # Other checkpointers write no checksum.
        if isinstance(self._checkpointer, AtomicCheckpointer):
            with configuration_errors():
                read_checksum(path)
        super()._load_model_state(path)

    def _restore_best(self, validated: bool) -> None:
        """Write the best epoch's weights, which AllenNLP writes after that epoch's checkpoint."""
        best = os.path.join(self._serialization_dir or os.curdir, "best.th")
        at_the_end_of_an_epoch = self._start_after_batches_in_epoch_completed == 0
        is_best = self._metric_tracker.is_best_so_far() and validated
        if self._primary and at_the_end_of_an_epoch and is_best:
            with self._averaged_weights():
                self._save_model_state(best)
        if self._metric_tracker.best_epoch is not None:
            self._best_model_filename = best

    @contextmanager
    def _averaged_weights(self) -> Iterator[None]:
        """Use the averaged weights, if there is a moving average."""
        if self._moving_average is None:
            yield
            return
        self._moving_average.assign_average_value()
        try:
            yield
        finally:
            self._moving_average.restore()
