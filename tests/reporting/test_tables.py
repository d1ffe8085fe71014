"""Tables as people and programs read them."""

import json
import statistics

import pytest

from elmo_plugin.reporting.tables import SeedStats, Table


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_markdown_has_a_line_a_row_and_the_facts() -> None:
    table = Table("Scores", ["model", "F1"], [["a", 1.234], ["b", None]], {"Seeds": [1, 2]})
    lines = table.markdown().splitlines()
    assert lines[0] == "# Scores"
    assert [cells(line) for line in lines[2:6]] == [
        ["model", "F1"],
        ["---", "---"],
        ["a", "1.23"],
        ["b", ""],
    ]
    assert lines[-1] == "- Seeds: [1, 2]"


def test_a_spread_is_mean_and_standard_deviation() -> None:
    values = (1.5, 2.0, 4.0)
    table = Table("t", ["x"], [[SeedStats(values)]], digits=3)
    mean, sd = statistics.mean(values), statistics.stdev(values)
    assert f"| {mean:.3f} ± {sd:.3f} |" in table.markdown()
    [row] = json.loads(table.json())["rows"]
    assert row["x"] == {"mean": mean, "sd": sd, "values": list(values)}


def test_a_spread_of_one_has_no_deviation() -> None:
    assert "| 2.00 |" in Table("t", ["x"], [[SeedStats((2.0,))]]).markdown()


def test_thousands_are_parted_for_people_alone() -> None:
    table = Table("t", ["x"], [[1234567]])
    assert "| 1,234,567 |" in table.markdown()
    assert json.loads(table.json())["rows"] == [{"x": 1234567}]


def test_json_keeps_all_digits() -> None:
    table = Table("t", ["name", "x"], [["a", 1 / 3]], {"Seed": 0}, paper="Table 2")
    assert json.loads(table.json()) == {
        "title": "t",
        "paper": "Table 2",
        "digits": 2,
        "columns": ["name", "x"],
        "rows": [{"name": "a", "x": 1 / 3}],
        "facts": {"Seed": 0},
    }


def test_a_bar_does_not_end_a_cell() -> None:
    assert "| a \\| b |" in Table("t", ["x"], [["a | b"]]).markdown()


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 cells a row"):
        Table("t", ["a", "b"], [["x"]])
