"""Gold labels, answers and clusters of each task's instances."""

from __future__ import annotations

from typing import Any

from allennlp.data import Instance

_TO_BIO = str.maketrans("UL", "BI")
Mention = tuple[int, int]
"""First and last token."""


def metadata_of(instance: Instance) -> dict[str, Any]:
    """Return what the reader keeps of an instance for its metric."""
    return instance["metadata"].metadata  # type: ignore[attr-defined]


def answer_texts(instance: Instance) -> list[str]:
    """Return the answers of a question; raise `ValueError` if there are none."""
    metadata = metadata_of(instance)
    if not metadata.get("answer_texts"):
        raise ValueError(f"question {metadata.get('id')}: expected answers, found none")
    return list(metadata["answer_texts"])


def class_label(instance: Instance) -> str:
    """Return the label of a text; raise `ValueError` if there is none."""
    if "label" not in instance.fields:
        raise ValueError("expected a label, found none")
    return str(instance["label"].label)  # type: ignore[attr-defined]


def entity_labels(instance: Instance) -> list[str]:
    """Return the label of each token in BIO, from BIO or BIOUL."""
    labels = instance["tags"].labels  # type: ignore[attr-defined]
    return [label[:1].translate(_TO_BIO) + label[1:] for label in labels]


def role_labels(instance: Instance) -> list[str]:
    """Return the semantic role of each token, in BIO."""
    return list(metadata_of(instance)["gold_tags"])


def gold_clusters(instance: Instance) -> list[list[Mention]]:
    """Return the clusters of mentions."""
    return list(metadata_of(instance)["clusters"])
