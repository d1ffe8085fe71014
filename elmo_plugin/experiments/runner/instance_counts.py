"""Records the counts of each instance that AllenNLP's metrics sum up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model
from allennlp.training.metrics import CategoricalAccuracy, Metric, SpanBasedF1Measure


class _Source(NamedTuple):
    """The classes of metrics that compute a score, and the function that reads their counts."""

    classes: tuple[type[Metric], ...]
    read: Callable[[Any], list[float]]


def _span_counts(metric: Any) -> list[float]:
    """Return twice the correct spans, and the sum of predicted and gold ones."""
    hits, extra, missed = (
        sum(counts.values())
        for counts in (metric._true_positives, metric._false_positives, metric._false_negatives)
    )
    return [2 * hits, 2 * hits + extra + missed]


def _cluster_counts(metric: Any) -> list[float]:
    """Return the numerators and denominators of the precision and recall of each scorer."""
    parts = [f"{of}_{part}" for of in ("precision", "recall") for part in _RATIO]
    return [float(getattr(scorer, part)) for scorer in metric.scorers for part in parts]


_RATIO = ("numerator", "denominator")


@cache
def _sources() -> dict[str, _Source]:
    """Return the sources by the score's name in `Model.get_metrics`."""
    # The plugin is loaded without allennlp-models, too.
    from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores
    from allennlp_models.rc.metrics import SquadEmAndF1
    from allennlp_models.structured_prediction.metrics.srl_eval_scorer import SrlEvalScorer

    return {
        "accuracy": _Source((CategoricalAccuracy,), lambda m: [m.correct_count, m.total_count]),
        "f1-measure-overall": _Source((SpanBasedF1Measure, SrlEvalScorer), _span_counts),
        "f1": _Source((SquadEmAndF1,), lambda m: [m._total_f1, m._count]),
        "em": _Source((SquadEmAndF1,), lambda m: [m._total_em, m._count]),
        "coref_f1": _Source((ConllCorefScores,), _cluster_counts),
    }


class CountingMetric(Metric):
    """
    Passes instances one by one to another metric, and records by how much each raises its counts.

    # Parameters

    metric : `Metric`
    score : `str`
        One that the metric computes, by its name in `Model.get_metrics()`.
    """

    def __init__(self, metric: Metric, score: str) -> None:
        self._metric = metric
        self._read = _sources()[score].read
        self.counts: list[numpy.ndarray] = []
        """One per instance, in order. Shape (columns,)."""

    def __call__(self, *batch: Any) -> None:
        for instance in _instances(batch):
            before = numpy.array(self._read(self._metric))
            self._metric(*instance)
            self.counts.append(numpy.array(self._read(self._metric)) - before)

    def get_metric(self, reset: bool = False) -> Any:
        return self._metric.get_metric(reset)

    def reset(self) -> None:
        self._metric.reset()


def count_instances(model: Model, score: str) -> CountingMetric:
    """
    Replace the metric of a model that computes a score by one that records counts.

    # Parameters

    model : `Model`
    score : `str`
        The name of the score in `model.get_metrics()`.

    # Raises

    `ConfigurationError` : a score whose counts are not known.
    """
    source = _sources().get(score)
    attributes = vars(model)
    for holder in (attributes, *(v for v in attributes.values() if isinstance(v, dict))):
        for name, value in holder.items():
            # Accuracy may stand beside that of the best three classes.
            if source and isinstance(value, source.classes) and getattr(value, "_top_k", 1) == 1:
                holder[name] = counting = CountingMetric(value, score)
                return counting
    raise _unknown(f"{score} of {type(model).__name__}")


def check_counted(score: str) -> None:
    """Raise `ConfigurationError` for a score whose counts are not known for any model."""
    if score not in _sources():
        raise _unknown(score)


def _unknown(score: str) -> ConfigurationError:
    known = ", ".join(_sources())
    return ConfigurationError(
        f"trainer.validation_metric: expected one of {known}, computed by AllenNLP's metrics, for "
        f"a score on test data, got {score}"
    )


def _instances(batch: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Split a metric's arguments, which are tensors or lists of a batch, or of one instance."""
    if isinstance(batch[0], str):
        yield batch
        return
    for i in range(len(batch[0])):
        yield tuple(None if part is None else part[i : i + 1] for part in batch)
