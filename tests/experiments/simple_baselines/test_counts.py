"""Counts of simple baselines give the scores of AllenNLP's metrics."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
import torch
from allennlp.common.plugins import import_plugins
from allennlp.data import Instance, Vocabulary
from allennlp.training.metrics import SpanBasedF1Measure
from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores, Scorer
from allennlp_models.rc.tools import squad

from elmo_plugin.experiments.runner.configurations import Configuration, read_configuration
from elmo_plugin.experiments.runner.training import read_part
from elmo_plugin.experiments.simple_baselines import counts, gold
from elmo_plugin.experiments.statistics.scores import score

ROOT = Path(__file__).parents[3]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[Instance]]:
    """Return a function that reads the development data of a task's fixtures."""
    monkeypatch.chdir(ROOT)
    import_plugins()

    def instances(task: str) -> list[Instance]:
        config: Configuration = read_configuration(f"training_configs/{task}/baseline.jsonnet")
        return read_part(config, "validation")

    return instances


def test_gold_labels_and_clusters_have_full_scores(read: Callable[[str], list[Instance]]) -> None:
    ner, srl, coref, snli, answered = map(read, ("ner", "srl", "coref", "snli", "squad"))
    for found in (
        counts.count_entities(ner, [*map(gold.entity_labels, ner)]),
        counts.count_roles(srl, [*map(gold.role_labels, srl)]),
        counts.count_clusters(coref, [*map(gold.gold_clusters, coref)]),
        counts.count_classes(snli, [*map(gold.class_label, snli)]),
        *(
            counts.count_answers(answered, [gold.answer_texts(one)[0] for one in answered], metric)
            for metric in ("em", "f1")
        ),
    ):
        assert score(found.sum(0)) == pytest.approx(100)


@pytest.mark.parametrize(
    ("metric", "expected"), [("em", squad.compute_exact), ("f1", squad.compute_f1)]
)
def test_answers_are_scored_as_by_squads_script(
    metric: str,
    expected: Callable[[str, str], float],
    read: Callable[[str], list[Instance]],
) -> None:
    instances = read("squad")
    right = [gold.answer_texts(one)[0] for one in instances]
    # Every other answer has a word too many.
    answers = [answer + " besides" * (i % 2) for i, answer in enumerate(right)]
    found = [
        max(expected(answer, other) for other in gold.answer_texts(one))
        for one, answer in zip(instances, answers)
    ]
    assert 0 < numpy.mean(found) < 1
    counted = counts.count_answers(instances, answers, metric)
    assert counted == pytest.approx(numpy.array([[one, 1.0] for one in found]))


def test_nothing_found_has_the_score_zero(read: Callable[[str], list[Instance]]) -> None:
    ner, srl, coref = map(read, ("ner", "srl", "coref"))
    for found in (
        counts.count_entities(ner, [["O"] * len(gold.entity_labels(one)) for one in ner]),
        counts.count_roles(srl, [["O"] * len(gold.role_labels(one)) for one in srl]),
        counts.count_clusters(coref, [[] for _ in coref]),
    ):
        assert score(found.sum(0)) == 0 and len(found) > 1


def test_entities_are_those_of_allennlps_metric(read: Callable[[str], list[Instance]]) -> None:
    ner = read("ner")
    labels = sorted({label for one in ner for label in gold.entity_labels(one)})
    vocabulary = Vocabulary(tokens_to_add={"labels": labels})
    index = vocabulary.get_token_to_index_vocabulary("labels")
    metric = SpanBasedF1Measure(vocabulary, "labels", label_encoding="BIO")
    draw = random.Random(1)
    predicted = []
    for instance in ner:
        right = gold.entity_labels(instance)
        predicted.append([one if draw.random() < 0.7 else draw.choice(labels) for one in right])
        one_hot = torch.eye(len(index))[[index[label] for label in predicted[-1]]]
        metric(one_hot[None], torch.tensor([[index[label] for label in right]]))
    expected = 100 * metric.get_metric()["f1-measure-overall"]
    assert 20 < expected < 80
    assert score(counts.count_entities(ner, predicted).sum(0)) == pytest.approx(expected)


def test_clusters_are_scored_as_by_allennlps_scorers(read: Callable[[str], list[Instance]]) -> None:
    """These take clusters, and the metric links of mentions to their antecedents."""
    coref = read("coref")
    draw = random.Random(1)
    scorers = [Scorer(one) for one in (Scorer.muc, Scorer.b_cubed, Scorer.ceafe)]
    predicted = []
    for instance in coref:
        right, mention_to_gold = ConllCorefScores.get_gold_clusters(gold.gold_clusters(instance))
        mentions = sorted(mention_to_gold)
        draw.shuffle(mentions)
        pairs = [sorted(pair) for pair in zip(mentions[::2], mentions[1::2])]
        clusters = [*map(tuple, pairs)]
        mention_to_predicted = {mention: one for one in clusters for mention in one}
        for scorer in scorers:
            scorer.update(clusters, right, mention_to_predicted, mention_to_gold)
        predicted.append(pairs)
    expected = 100 * numpy.mean([scorer.get_f1() for scorer in scorers])
    assert 0 < expected < 100
    assert score(counts.count_clusters(coref, predicted).sum(0)) == pytest.approx(expected)
