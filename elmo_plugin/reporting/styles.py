"""One color and one marker for each representation, in every figure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Style(NamedTuple):
    """A color of Okabe and Ito's palette, which color-blind people tell apart, and a marker."""

    color: str
    marker: str


STYLES = {
    "biLM": Style("#0072B2", "o"),
    "random biLM": Style("#56B4E9", "s"),
    "CoVe": Style("#009E73", "^"),
    "random CoVe": Style("#CC79A7", "v"),
    "static vectors": Style("#E69F00", "D"),
    "first sense": Style("#777777", "X"),
    "ELMo": Style("#0072B2", "o"),
    "baseline": Style("#D55E00", "s"),
}
_OTHERS = (
    Style("#D55E00", "P"),
    Style("#777777", "*"),
    Style("#E69F00", "h"),
    Style("#009E73", "<"),
    Style("#CC79A7", ">"),
)


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """Return the style of each name; names without one take the others in turn."""
    distinct = list(dict.fromkeys(names))
    unknown = [name for name in distinct if name not in STYLES]
    others = {name: _OTHERS[i % len(_OTHERS)] for i, name in enumerate(unknown)}
    return {name: STYLES.get(name) or others[name] for name in distinct}
