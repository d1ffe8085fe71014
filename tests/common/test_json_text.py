"""JSON that is written."""

from __future__ import annotations

import json
import math

import pytest

from elmo_plugin.common.json_text import to_json


def test_finite_content_is_kept() -> None:
    content = {"a": [1, 2.5, -1e300, True, None, "NaN"], "b": {"c": "한", "d": []}}
    assert json.loads(to_json(content)) == content


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_become_null(number: float) -> None:
    content = {"a": number, "b": [1.0, (number, {"c": number})]}
    assert json.loads(to_json(content)) == {"a": None, "b": [1.0, [None, {"c": None}]]}
