"""Metrics of distributed training that AllenNLP does not sum over the processes."""

from collections.abc import Callable
from typing import Any

from elmo_plugin.compat.patching import wrap

_SPANS = "allennlp.training.metrics.span_based_f1_measure"
_SEMANTIC_ROLES = "allennlp_models.structured_prediction.metrics.srl_eval_scorer"

Counts = dict[Any, Any]


@wrap(_SPANS, "SpanBasedF1Measure.__call__")
@wrap(_SEMANTIC_ROLES, "SrlEvalScorer.__call__")
def sum_labels(original: Any, metric: Any, *args: Any, **kwargs: Any) -> None:
    """AllenNLP refuses F1 of spans and the scores of semantic roles, since each process counts
    other labels."""

    def tables() -> list[Counts]:
        return [metric._true_positives, metric._false_positives, metric._false_negatives]

    _sum_over_processes(tables, original, metric, *args, **kwargs)


@wrap(_SPANS, _SEMANTIC_ROLES, "is_distributed")
def accept_distributed_training(original: Any) -> bool:
    """In these modules, AllenNLP asks for it only in `get_metric`, and then refuses."""
    return False


@wrap("allennlp_models.coref.metrics.conll_coref_scores", "ConllCorefScores.__call__")
def sum_coreference(original: Any, metric: Any, *args: Any, **kwargs: Any) -> None:
    """In AllenNLP, each process scores its own documents only, and may stop early by itself."""

    def tables() -> list[Counts]:
        return [vars(scorer) for scorer in metric.scorers]

    _sum_over_processes(tables, original, metric, *args, **kwargs)


def _sum_over_processes(
    tables: Callable[[], list[Counts]], count: Callable[..., Any], *args: Any, **kwargs: Any
) -> None:
    """Add what all processes count in a batch. `tables` returns the dictionaries of the counts."""
    from torch import distributed

    if not (distributed.is_available() and distributed.is_initialized()):
        count(*args, **kwargs)
        return
    before = [_numbers(table) for table in tables()]
    count(*args, **kwargs)
    new = [
        {key: value - old.get(key, 0) for key, value in _numbers(table).items()}
        for table, old in zip(tables(), before)
    ]
    of_processes: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(of_processes, new)
    for table, old, *added in zip(tables(), before, *of_processes):
        for key in {key for counts in added for key in counts}:
            table[key] = old.get(key, 0) + sum(counts.get(key, 0) for counts in added)


def _numbers(table: Counts) -> Counts:
    return {key: value for key, value in table.items() if isinstance(value, (int, float))}
