"""Stores the weights of the best validated epoch if not all epochs are validated."""

from __future__ import annotations

from allennlp.training import GradientDescentTrainer


class ValidationRuleTrainer(GradientDescentTrainer):
    """
    AllenNLP's `GradientDescentTrainer`, which stores the best validated epoch's weights with
    `should_validate_callback`, too. At the end of an epoch, the callback decides whether to
    validate the next one. AllenNLP applies this before it stores the best weights; here it applies
    when the next epoch begins.
    """

    _validates = True
    _validates_next = True
    _best_model_filename: str | None

    @property
    def _should_validate_this_epoch(self) -> bool:
        return self._validates

    @_should_validate_this_epoch.setter
    def _should_validate_this_epoch(self, value: bool) -> None:
        self._validates_next = value

    def _train_epoch(self, epoch: int) -> dict[str, float]:
        self._validates = self._validates_next
        # AllenNLP counts the validations, and takes them for epochs when training is resumed.
        self._metric_tracker._epoch_number = epoch
        return super()._train_epoch(epoch)

    def _finalize_model(self) -> None:
        # AllenNLP keeps the last epoch's weights if the last score is the best.
        if self._validates or self._best_model_filename is None:
            super()._finalize_model()
        else:
            self._load_model_state(self._best_model_filename)
