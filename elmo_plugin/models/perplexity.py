"""Perplexity of both directions."""

import torch
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric


@Metric.register("bilm_perplexity")
class Perplexity(Metric):
    """
    exp of the mean negative log-likelihood a prediction: of the forward direction, of the backward
    direction, and of both together.
    """

    def __init__(self) -> None:
        self.reset()

    def mean(self) -> float:
        """The mean negative log-likelihood of all predictions, in nats."""
        return float(self._losses.sum() / self._predictions.sum())

    @property
    def counted(self) -> bool:
        """Whether anything has been counted since the last reset."""
        return bool(self._predictions.sum() > 0)

    def __call__(self, losses: torch.Tensor, predictions: torch.Tensor) -> None:  # type: ignore
        """
        # Parameters

        losses : `torch.Tensor`
            Sums of negative log-likelihoods in nats, forward and backward. Shape (2,).
        predictions : `torch.Tensor`
            How many there were. Shape (2,).
        """
        self._losses += dist_reduce_sum(losses).double().cpu()
        self._predictions += dist_reduce_sum(predictions).double().cpu()

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        """forward_perplexity, backward_perplexity and perplexity."""
        each = self._losses / self._predictions
        both = self._losses.sum() / self._predictions.sum()
        # Of tensors, as exp of a Python number that is too large would be an error.
        forward, backward, average = torch.stack([*each, both]).exp().tolist()
        metrics = {
            "forward_perplexity": forward,
            "backward_perplexity": backward,
            "perplexity": average,
        }
        if reset:
            self.reset()
        return metrics

    def state_dict(self) -> dict[str, torch.Tensor]:
        """What has been counted."""
        return {"losses": self._losses, "predictions": self._predictions}

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        """The inverse of `state_dict`."""
        self._losses, self._predictions = state["losses"], state["predictions"]

    def reset(self) -> None:
        self._losses = torch.zeros(2, dtype=torch.float64)
        self._predictions = torch.zeros(2, dtype=torch.float64)
