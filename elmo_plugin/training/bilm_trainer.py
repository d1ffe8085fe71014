"""The Trainer `bilm`: resumes a biLM's training bit-identically."""

import hashlib
import logging
import os
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training import Trainer
from allennlp.training.trainer import TrainerCheckpoint
from torch.nn.parallel import DistributedDataParallel

from elmo_plugin.common.memory import keep_freed_memory
from elmo_plugin.common.text import text_files
from elmo_plugin.data.language_modeling.stream_loader import BilmStreamLoader
from elmo_plugin.data.language_modeling.text_fingerprint import describe_changes
from elmo_plugin.data.language_modeling.vocabulary import words_in_order
from elmo_plugin.layers.perplexity import PerplexitySum
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.training.optimizers import fuse, takes_sparse_gradients
from elmo_plugin.training.resumable_trainer import PROCESSES, ResumableTrainer
from elmo_plugin.training.sparse_reduction import average_rows, wrap_without

logger = logging.getLogger(__name__)

_TEXT, _VOCABULARY = "text", "vocabulary"


@Trainer.register("bilm", constructor="from_partial_objects")
class BilmTrainer(ResumableTrainer):
    """
    AllenNLP's `GradientDescentTrainer`, whose checkpoints also hold the rest of the training's
    state, for each process: the position in its streams of text, the LSTM state of each stream, and
    the random state. `--recover` continues with the next batch, and all losses equal those of a
    training that was never interrupted. Checkpoints also hold a fingerprint of the text: if the
    text has changed, `--recover` stops with an error.

    Registered as a `Trainer` with name "bilm". Parameters as those of "gradient_descent"; the data
    loader must be "bilm_streams" and the model "bilm".
    """

    data_loader: BilmStreamLoader
    model: BilmModel

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not isinstance(self.data_loader, BilmStreamLoader):
            found = type(self.data_loader).__name__
            raise ConfigurationError(f"data_loader: expected type bilm_streams, got {found}")
        if not isinstance(self.model, BilmModel):
            raise ConfigurationError(f"model: expected type bilm, got {type(self.model).__name__}")
        if isinstance(self._validation_data_loader, BilmStreamLoader):
            raise ConfigurationError(
                "validation_data_loader: expected one of whole sentences, such as "
                "{'batch_size': 64}, got bilm_streams, which AllenNLP takes where none is given"
            )
        self._check_softmax_batches()
        self._check_validation_metric()
        self._warn_of_shared_text()
        keep_freed_memory()
        fuse(self.optimizer)
        self._use_sparse_gradients()
        # Whether the last batch trained the softmax alone.
        self._softmax_alone = False
        # Only the process that writes checkpoints has to read the text for this.
        self._text = self.data_loader.fingerprint() if self._primary else {}
        self._vocabulary = _digest(words_in_order(self.model.vocab))

    def _check_softmax_batches(self) -> None:
        alone = int(self.model.softmax_batches_left)
        batches = self._num_epochs * len(self.data_loader)
        if alone and alone >= batches:
            raise ConfigurationError(
                f"model.num_softmax_batches: expected fewer than the {batches} batches of all "
                f"epochs, found {alone}: only the new softmax would be trained, and not the biLM"
            )

    def _check_validation_metric(self) -> None:
        """AllenNLP finds an unknown metric after the first epoch, and loses that."""
        if self._validation_data_loader is None or type(self.model) is not BilmModel:
            return
        known = {"loss", *PerplexitySum().perplexities()}
        for _, name in self._metric_tracker.tracked_metrics:
            if name not in known:
                raise ConfigurationError(
                    f"trainer.validation_metric: expected one of {', '.join(sorted(known))}, "
                    f"got {name!r:.80}"
                )

    def _warn_of_shared_text(self) -> None:
        path = getattr(self._validation_data_loader, "data_path", None)
        if not isinstance(path, str):
            return
        training = {os.path.realpath(file.path) for file in self.data_loader.files}
        for file in text_files(path):
            if os.path.realpath(file) in training:
                logger.warning(
                    "%s is training text and validation text: perplexity will be too low", file
                )

    def _use_sparse_gradients(self) -> None:
        """Update only the sampled rows of the softmax, where the optimizer can."""
        self.model.softmax.sparse = False
        if self.model.language_model.sampler is None or not takes_sparse_gradients(self.optimizer):
            return
        wrapped = self._ddp_wrapped_model
        if wrapped is not None:
            if not isinstance(wrapped.model, DistributedDataParallel):
                return
            # DistributedDataParallel reduces dense gradients only.
            self._ddp_wrapped_model = wrap_without(wrapped, self.model, "softmax.weight")
        self.model.softmax.sparse = True
        # Optimizers make valid sparse tensors; torch warns unless told whether to check them.
        torch.sparse.check_sparse_tensor_invariants.disable()

    def rescale_gradients(self) -> Optional[float]:
        if self._softmax_alone:
            # Not zero: optimizers would still decay the weights.
            for parameter in self.model.bilm.parameters():
                parameter.grad = None
        softmax = self.model.softmax
        if self._distributed and softmax.sparse and softmax.weight.requires_grad:
            average_rows(softmax.weight)
        return super().rescale_gradients()

    def get_checkpoint_state(self) -> Optional[TrainerCheckpoint]:
        checkpoint = super().get_checkpoint_state()
        if checkpoint is not None:
            checkpoint.trainer_state.update({_TEXT: self._text, _VOCABULARY: self._vocabulary})
        return checkpoint

    def batch_outputs(self, batch: Any, for_training: bool) -> dict[str, torch.Tensor]:
        self._softmax_alone = bool(self.model.softmax_batches_left)
        return super().batch_outputs(batch, for_training)

    def _train_epoch(self, epoch: int) -> dict[str, float]:
        metrics = super()._train_epoch(epoch)
        if self._epochs_completed < self._start_after_epochs_completed:
            return metrics
        # AllenNLP does not reset metrics of an epoch that was interrupted after its last batch.
        metrics.update(self.model.get_metrics(reset=True))
        return metrics

    def _process_state(self) -> dict[str, Any]:
        return {
            **super()._process_state(),
            "streams": self.data_loader.state_dict(),
            "model": self.model.stream_state(),
        }

    def _restore_process(self, state: dict[str, Any]) -> None:
        super()._restore_process(state)
        self.data_loader.load_state_dict(state["streams"])
        self.model.load_stream_state(state["model"])

    def _check_state(self, state: dict[str, Any]) -> None:
        if not {PROCESSES, _TEXT, _VOCABULARY} <= state.keys():
            raise ConfigurationError(
                f"{self._serialization_dir}: expected a checkpoint of the trainer bilm, found "
                "another trainer's or version's, which lacks the position in the text"
            )
        super()._check_state(state)
        changes = describe_changes(state[_TEXT], self._text) if self._primary else ""
        if changes:
            raise ConfigurationError(
                f"{self.data_loader.data_path}: expected the text that the training began with: "
                f"{changes}. To train on this text, start a new training from the weights of this "
                f"one, with training_configs/bilm/finetune.jsonnet and "
                f"start:: '{self._serialization_dir}'"
            )
        if state[_VOCABULARY] != self._vocabulary:
            raise ConfigurationError(
                f"{self._serialization_dir}/vocabulary: expected the words that the training began "
                "with, found others"
            )


def _digest(words: list[str]) -> str:
    return hashlib.blake2b("\n".join(words).encode(), digest_size=16).hexdigest()
