"""A trainer whose epochs are each validated and stored by a rule of their own."""

from __future__ import annotations

from allennlp.training import GradientDescentTrainer


class ValidationRuleTrainer(GradientDescentTrainer):
    """
    AllenNLP's `GradientDescentTrainer`, for `should_validate_callback`. At the end of an epoch, the
    callback decides whether the next one is validated, and only then AllenNLP stores the best
    weights. Here its decision applies once the next epoch begins, so that best.th has the weights
    of the best of the validated epochs.
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
        return super()._train_epoch(epoch)

    def _finalize_model(self) -> None:
        # AllenNLP keeps the last epoch's weights if no later score was better than the best.
        if self._validates or self._best_model_filename is None:
            super()._finalize_model()
        else:
            self._load_model_state(self._best_model_filename)
