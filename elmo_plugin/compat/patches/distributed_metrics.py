"""Metrics of distributed training that AllenNLP does not sum over the processes."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module

Counts = dict[Any, Any]


@patch_module("allennlp.training.metrics.span_based_f1_measure")
def sum_spans(module: Any) -> Iterator[None]:
    """AllenNLP refuses F1 of spans, since each process counts other labels."""
    yield
    _sum_over_processes(module.SpanBasedF1Measure, _counts_by_label)
    module.is_distributed = lambda: False  # asked by get_metric alone, to refuse


@patch_module("allennlp_models.structured_prediction.metrics.srl_eval_scorer")
def sum_semantic_roles(module: Any) -> Iterator[None]:
    """AllenNLP refuses the scores of semantic roles for the same reason."""
    yield
    _sum_over_processes(module.SrlEvalScorer, _counts_by_label)
    module.is_distributed = lambda: False


@patch_module("allennlp_models.coref.metrics.conll_coref_scores")
def sum_coreference(module: Any) -> Iterator[None]:
    """In AllenNLP, each process scores its own documents only, and may stop early by itself."""
    yield
    _sum_over_processes(
        module.ConllCorefScores, lambda metric: [vars(scorer) for scorer in metric.scorers]
    )


def _counts_by_label(metric: Any) -> list[Counts]:
    return [metric._true_positives, metric._false_positives, metric._false_negatives]


def _sum_over_processes(metric: Any, tables: Callable[[Any], list[Counts]]) -> None:
    """Add what all processes count in a batch. `tables` returns the dictionaries of the counts."""
    original = metric.__call__

    @wraps(original)
    def count(self: Any, *args: Any, **kwargs: Any) -> None:
        from torch import distributed

        if not (distributed.is_available() and distributed.is_initialized()):
            original(self, *args, **kwargs)
            return
        before = [_numbers(table) for table in tables(self)]
        original(self, *args, **kwargs)
        new = [
            {key: value - old.get(key, 0) for key, value in _numbers(table).items()}
            for table, old in zip(tables(self), before)
        ]
        of_processes: list[Any] = [None] * distributed.get_world_size()
        distributed.all_gather_object(of_processes, new)
        for table, old, *added in zip(tables(self), before, *of_processes):
            for key in {key for counts in added for key in counts}:
                table[key] = old.get(key, 0) + sum(counts.get(key, 0) for counts in added)

    metric.__call__ = count


def _numbers(table: Counts) -> Counts:
    return {key: value for key, value in table.items() if isinstance(value, (int, float))}
