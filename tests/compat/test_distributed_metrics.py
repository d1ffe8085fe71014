"""Metrics of two processes, against those of one that has counted all batches."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.data import Vocabulary
from allennlp.training.metrics import SpanBasedF1Measure
from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores
from allennlp_models.structured_prediction.metrics.srl_eval_scorer import SrlEvalScorer
from allennlp_models.structured_prediction.models.srl import (
    convert_bio_tags_to_conll_format as to_conll,
)
from torch import distributed

from tests.helpers.distributed import fork

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
# Gold and predicted labels: the processes see other entities and make other errors.
SENTENCES = [
    (["B-PER", "I-PER", "O", "B-PER"], ["B-PER", "I-PER", "B-PER", "O"]),
    (["B-LOC", "O", "B-LOC", "B-PER"], ["B-LOC", "O", "O", "B-PER"]),
    (["O", "B-LOC", "I-LOC", "O"], ["B-PER", "B-LOC", "I-LOC", "O"]),
    (["O", "B-PER", "O", "O"], ["O", "B-PER", "O", "B-LOC"]),
]
CLUSTERS = [
    ([[(0, 0), (2, 2)]], [-1, 0, -1]),
    ([[(0, 0), (1, 1), (2, 2)]], [-1, 0, -1]),
    ([[(1, 1), (2, 2)]], [-1, 0, 1]),
    ([[(0, 0), (1, 1)]], [-1, 0, 1]),
]


def spans(batches: range) -> Any:
    vocabulary = Vocabulary(non_padded_namespaces=["labels"])
    ids = {label: vocabulary.add_token_to_namespace(label, "labels") for label in LABELS}
    metric = SpanBasedF1Measure(vocabulary, "labels")
    for i in batches:
        gold, predicted = (torch.tensor([[ids[x] for x in labels]]) for labels in SENTENCES[i])
        metric(torch.nn.functional.one_hot(predicted, len(ids)).float(), gold)
    return metric.get_metric()


def semantic_roles(batches: range) -> Any:
    metric = SrlEvalScorer(ignore_classes=["V"])
    for i in batches:
        gold, predicted = ([to_conll(["B-V", *labels])] for labels in SENTENCES[i])
        metric([0], [["says", "a", "b", "c", "d"]], predicted, gold)
    return metric.get_metric()


def coreference(batches: range) -> Any:
    metric = ConllCorefScores()
    top = torch.tensor([[[0, 0], [1, 1], [2, 2]]])
    antecedents = torch.tensor([[[0, 1], [0, 1], [0, 1]]])
    for i in batches:
        clusters, predicted = CLUSTERS[i]
        metric(top, antecedents, torch.tensor([predicted]), [{"clusters": clusters}])
    return metric.get_metric()


METRICS: list[Callable[[range], Any]] = [spans, semantic_roles, coreference]


def score(rank: int, folder: Path) -> None:
    start = f"file://{folder}/start"
    distributed.init_process_group("gloo", init_method=start, rank=rank, world_size=2)
    found = {metric.__name__: metric(range(rank, 4, 2)) for metric in METRICS}
    (folder / f"{rank}.json").write_text(json.dumps(found))


@pytest.fixture(scope="module")
def of_each_process(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("processes")
    fork(score, args=(folder,), nprocs=2)
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)
def test_scores_are_those_of_all_batches(
    metric: Callable[[range], Any], of_each_process: list[dict[str, Any]]
) -> None:
    expected = metric(range(4))
    assert max(expected.values() if isinstance(expected, dict) else expected) > 0
    halves = [metric(range(rank, 4, 2)) for rank in range(2)]
    assert expected not in halves
    approximate = partial(pytest.approx, abs=1e-6)
    for found in of_each_process:
        assert found[metric.__name__] == approximate(
            expected if isinstance(expected, dict) else list(expected)
        )
