"""Tables read back from JSON, and invalid JSON."""

import json
import math
from typing import Any

import pytest

from elmo_plugin.reporting.stored_tables import to_table
from elmo_plugin.reporting.tables import Interval, PValue, SeedStats, Table

TABLE = Table(
    "Scores",
    ["task", "F1", "n"],
    [["a", SeedStats((1.0, 2.5)), 3], ["b", 1 / 3, None]],
    {"Seeds": [1, 2], "Weights": {"biLM": "built in"}},
    digits=3,
    paper="Table 2",
)


def content(**changes: Any) -> dict[str, Any]:
    return {**json.loads(TABLE.json()), **changes}


TESTED = Table("Tested", ["95% CI", "p"], [[Interval(-1.0, 2.5), PValue(0.0123)]])


@pytest.mark.parametrize("table", [TABLE, TESTED, Table("no rows", ["a", "b"], [])])
def test_round_trip(table: Table) -> None:
    found = to_table(json.loads(table.json()))
    assert found == table
    assert found.markdown() == table.markdown()


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"title": 5}, "title: expected a string, found 5"),
        ({"metadata": []}, "metadata: expected an object"),
        ({"digits": "2"}, "digits: expected an integer"),
        ({"digits": -1}, "digits: expected from 0 to 17, found -1"),
        ({"digits": 10**9}, "digits: expected from 0 to 17, found 1000000000"),
        ({"paper": "Table 12"}, "paper: expected one of Table 1, .*found 'Table 12'"),
        ({"rows": {}}, "rows: expected a list"),
        ({"rows": [3]}, r"rows\[0\]: expected an object, found 3"),
        ({"rows": [{"task": "a"}]}, r"rows\[0\]: expected the columns .*found \['task'\]"),
        ({"rows": [{"task": "a", "F1": [1], "n": 1}]}, r"rows\[0\]\['F1'\]: expected a string"),
        ({"rows": [{"task": "a", "F1": {"mean": 1}, "n": 1}]}, r"\['F1'\]: expected a string"),
        *(
            ({"rows": [{"task": "a", "F1": x, "n": 1}]}, r"\['F1'\]: expected a string")
            for x in (True, math.nan, math.inf, 10**400)
        ),
        *(
            ({"rows": [{"task": "a", "F1": x, "n": 1}]}, r"\['F1'\]: expected a string")
            for x in ({}, {"p": "0.1"}, {"low": 1}, {"low": 1, "high": None}, {"p": 1, "q": 2})
        ),
        ({"columns": ["task", "n", "n"], "rows": []}, "columns: expected distinct names"),
        *(
            ({"rows": [{"task": "a", "F1": {"values": [x, 1.0]}, "n": 1}]}, r"\['F1'\]: expected a")
            for x in ("1", None, True, math.nan, math.inf, 1e200, 10**400)
        ),
    ],
)
def test_invalid_values_are_named_by_key(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        to_table(content(**changes))


def test_long_values_are_shortened() -> None:
    with pytest.raises(ValueError, match="paper: expected one of") as error:
        to_table(content(paper="a" * 10**6))
    assert len(str(error.value)) < 500


def test_missing_key() -> None:
    with pytest.raises(ValueError, match="rows: expected a table as JSON, found none"):
        to_table({key: value for key, value in content().items() if key != "rows"})
