"""Groups test instances that share a text, which are not independent."""

from __future__ import annotations

from collections.abc import Sequence

from allennlp.data import Instance

_TEXTS = ("passage", "premise", "tokens", "text")
"""Fields that several instances may share, in the readers of the six tasks."""


def text_groups(instances: Sequence[Instance]) -> list[int]:
    """
    Number the texts of instances in the order of their first occurrence: paragraphs of questions,
    premises of hypotheses, sentences of predicates. An instance without such a field has a number
    of its own.
    """
    numbers: dict[object, int] = {}
    return [
        numbers.setdefault(_text(instance, i), len(numbers)) for i, instance in enumerate(instances)
    ]


def _text(instance: Instance, position: int) -> object:
    field = next((instance[name] for name in _TEXTS if name in instance.fields), None)
    return position if field is None else tuple(map(str, field))  # type: ignore[call-overload]
