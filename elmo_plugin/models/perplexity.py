"""The Metric `bilm_perplexity`: perplexity of both directions, summed over processes."""

import torch
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric

from elmo_plugin.layers.perplexity import PerplexitySum


@Metric.register("bilm_perplexity")
class Perplexity(Metric):
    """
    `PerplexitySum` over all processes of a distributed training.

    Registered as a `Metric` with name "bilm_perplexity".
    """

    def __init__(self) -> None:
        self.reset()

    def __call__(self, losses: torch.Tensor, predictions: torch.Tensor) -> None:  # type: ignore
        """
        Count the predictions of a batch.

        # Parameters

        losses : `torch.Tensor`
            Sum of negative log-likelihoods in nats, forward and backward. Shape (2,).
        predictions : `torch.Tensor`
            Number of predictions. Shape (2,).
        """
        self._sum.add(dist_reduce_sum(losses), dist_reduce_sum(predictions))

    @property
    def counted(self) -> bool:
        """True if anything has been counted since the last reset."""
        return bool(self._sum.predictions.sum() > 0)

    def mean(self) -> float:
        """Mean negative log-likelihood of all predictions, in nats."""
        return self._sum.mean()

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        """forward_perplexity, backward_perplexity and perplexity."""
        metrics = self._sum.perplexities()
        if reset:
            self.reset()
        return metrics

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Return the sums, for a checkpoint."""
        return {"losses": self._sum.losses, "predictions": self._sum.predictions}

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        """The inverse of `state_dict`."""
        self._sum.losses, self._sum.predictions = state["losses"], state["predictions"]

    def reset(self) -> None:
        self._sum = PerplexitySum()
