"""Tables as Markdown and JSON."""

import json
import statistics

import pytest

from elmo_plugin.reporting.tables import Interval, PValue, SeedStats, Table


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_markdown_has_a_line_per_row_and_the_metadata() -> None:
    table = Table("Scores", ["model", "F1"], [["a", 1.234], ["b", None]], {"Seeds": [1, 2]})
    lines = table.markdown().splitlines()
    assert lines[0] == "# Scores"
    assert [cells(line) for line in lines[2:6]] == [
        ["model", "F1"],
        ["---", "---"],
        ["a", "1.23"],
        ["b", ""],
    ]
    assert lines[-1] == "- Seeds: 1, 2"


def test_metadata_are_plain_text() -> None:
    chosen = {"NER": {"baseline": "dropout 0.5", "elmo": "dropout 0.2"}, "SRL": "none"}
    metadata = {"Chosen": chosen, "Weights": {"CoVe": ["random, seed 0", "random, seed 1"]}}
    found = Table("t", ["x"], [], metadata).metadata_texts()
    assert found == [
        ("Chosen", "NER (baseline: dropout 0.5; elmo: dropout 0.2); SRL: none"),
        ("Weights", "CoVe (random, seed 0; random, seed 1)"),
    ]


def test_seed_stats_are_mean_and_standard_deviation() -> None:
    values = (1.5, 2.0, 4.0)
    table = Table("t", ["x"], [[SeedStats(values)]], digits=3)
    mean, sd = statistics.mean(values), statistics.stdev(values)
    assert f"| {mean:.3f} ± {sd:.3f} |" in table.markdown()
    [row] = json.loads(table.json())["rows"]
    assert row["x"] == {"mean": mean, "sd": sd, "values": list(values)}


def test_single_seed_has_no_deviation() -> None:
    assert "| 2.00 |" in Table("t", ["x"], [[SeedStats((2.0,))]]).markdown()


def test_intervals_and_p_values_are_numbers_in_json() -> None:
    table = Table("t", ["interval", "p"], [[Interval(-0.25, 1 / 3), PValue(1 / 7)]], digits=1)
    assert "| -0.2 to 0.3 | 0.1429 |" in table.markdown()
    [row] = json.loads(table.json())["rows"]
    assert row == {"interval": {"low": -0.25, "high": 1 / 3}, "p": {"p": 1 / 7}}


def test_thousands_are_separated_in_markdown_alone() -> None:
    table = Table("t", ["x"], [[1234567]])
    assert "| 1,234,567 |" in table.markdown()
    assert json.loads(table.json())["rows"] == [{"x": 1234567}]


def test_json_has_full_precision() -> None:
    table = Table("t", ["name", "x"], [["a", 1 / 3]], {"Seed": 0}, paper="Table 2")
    assert json.loads(table.json()) == {
        "title": "t",
        "paper": "Table 2",
        "digits": 2,
        "columns": ["name", "x"],
        "rows": [{"name": "a", "x": 1 / 3}],
        "metadata": {"Seed": 0},
    }


def test_vertical_bar_is_escaped() -> None:
    assert "| a \\| b |" in Table("t", ["x"], [["a | b"]]).markdown()


def test_line_breaks_do_not_end_a_cell_or_a_title() -> None:
    table = Table("a\nb", ["c\nd"], [["e\r\nf"]], {"g": "h\n- i"})
    assert table.markdown().splitlines()[::2] == ["# a b", "| c d |", "| e f |", "- g: h - i"]


def test_row_of_another_length() -> None:
    with pytest.raises(ValueError, match="expected 2 cells per row"):
        Table("t", ["a", "b"], [["x"]])


def test_columns_of_the_same_name() -> None:
    with pytest.raises(ValueError, match="columns: expected distinct names"):
        Table("t", ["a", "a"], [])
