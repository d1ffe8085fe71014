"""Semantic roles of test data that training has not seen."""

from __future__ import annotations

from collections.abc import Iterable

from allennlp.data import Instance
from allennlp.data.fields import SequenceLabelField
from allennlp.models import Model

_OUTSIDE = "O"


def replace_unknown_roles(model: Model, instances: Iterable[Instance]) -> None:
    """
    Replace roles that training has not seen by "O", if the model labels semantic roles. They have
    no index, and only the loss reads them: the scorer reads the metadata, where they stay, and
    counts them as missed.

    # Parameters

    model : `Model`
    instances : `Iterable[Instance]`
        Changed in place.
    """
    # The plugin is loaded without allennlp-models, too.
    from allennlp_models.structured_prediction.models.srl import SemanticRoleLabeler

    if not isinstance(model, SemanticRoleLabeler):
        return
    known = model.vocab.get_token_to_index_vocabulary("labels")
    for instance in instances:
        field = instance.fields.get("tags")
        if isinstance(field, SequenceLabelField) and not known.keys() >= set(field.labels):
            labels = [str(one) if one in known else _OUTSIDE for one in field.labels]
            instance.add_field("tags", SequenceLabelField(labels, field.sequence_field, "labels"))
