"""Counts of each instance's score, computed by the metrics of the task models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import torch
from allennlp.data import Instance
from allennlp.data.dataset_readers.dataset_utils.span_utils import bio_tags_to_spans

from elmo_plugin.experiments.runner.instance_counts import CountingMetric
from elmo_plugin.experiments.simple_baselines.gold import (
    Mention,
    answer_texts,
    class_label,
    entity_labels,
    metadata_of,
    role_labels,
)

Counts = numpy.ndarray
"""Shape (instances, columns), see `statistics.scores`."""


def count_answers(instances: Sequence[Instance], answers: Sequence[str], score: str) -> Counts:
    """Count F1 ("f1") or exact matches ("em"), each with the gold answer that is nearest."""
    from allennlp_models.rc.metrics import SquadEmAndF1

    counting = CountingMetric(SquadEmAndF1(), score)
    for instance, answer in zip(instances, answers, strict=True):
        counting(answer, answer_texts(instance))
    return numpy.stack(counting.counts)


def count_classes(instances: Sequence[Instance], labels: Sequence[str]) -> Counts:
    """Count correct labels."""
    pairs = zip(map(class_label, instances), labels, strict=True)
    return numpy.array([[float(gold == predicted), 1.0] for gold, predicted in pairs])


def count_entities(instances: Sequence[Instance], labels: Sequence[Sequence[str]]) -> Counts:
    """Count the entities of labels in BIO, in which an I- without its B- begins an entity."""
    counts = []
    for instance, predicted in zip(instances, labels, strict=True):
        found, gold = (
            set(bio_tags_to_spans([*one])) for one in (predicted, entity_labels(instance))
        )
        counts.append([2 * len(found & gold), len(found) + len(gold)])
    return numpy.array(counts)


def count_roles(instances: Sequence[Instance], labels: Sequence[Sequence[str]]) -> Counts:
    """Count the semantic roles of labels in BIO, by the script of CoNLL 2005."""
    from allennlp_models.structured_prediction.metrics.srl_eval_scorer import SrlEvalScorer
    from allennlp_models.structured_prediction.models.srl import convert_bio_tags_to_conll_format

    counting = CountingMetric(SrlEvalScorer(ignore_classes=["V"]), "f1-measure-overall")
    for instance, predicted in zip(instances, labels, strict=True):
        metadata = metadata_of(instance)
        counting(
            [metadata["verb_index"]],
            [metadata["words"]],
            [convert_bio_tags_to_conll_format([*predicted])],
            [convert_bio_tags_to_conll_format(role_labels(instance))],
        )
    return numpy.stack(counting.counts)


def count_clusters(
    instances: Sequence[Instance], clusters: Sequence[Sequence[Sequence[Mention]]]
) -> Counts:
    """Count clusters of mentions, by MUC, B-cubed and CEAF-e."""
    from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores

    counting = CountingMetric(ConllCorefScores(), "coref_f1")
    for instance, predicted in zip(instances, clusters, strict=True):
        mentions = [mention for cluster in predicted for mention in cluster]
        # Each mention's antecedent is the one before it in its cluster. 0 is the only one, -1 none.
        antecedents = [min(i, 1) - 1 for cluster in predicted for i in range(len(cluster))]
        counting(
            torch.tensor(mentions, dtype=torch.long).view(1, len(mentions), 2),
            torch.arange(len(mentions)).view(1, len(mentions), 1) - 1,
            torch.tensor([antecedents], dtype=torch.long),
            [metadata_of(instance)],
        )
    return numpy.stack(counting.counts)
