"""The paper's numbers, some of which it prints twice."""

import pytest

from elmo_plugin.reporting.published_results import (
    FINDINGS,
    SUBJECTS,
    TABLES,
    published_row,
    published_score,
)


def test_relative_error_reductions_follow_from_the_scores() -> None:
    for task, *cells in TABLES["Table 1"].rows:
        before, after, printed = (float(cell.split(" ± ")[0]) for cell in cells)
        # The printed scores are rounded, and so is what the paper computed from them.
        tolerance = 100 * 0.1 / (100 - before) + 0.5
        assert printed == pytest.approx(100 * (after - before) / (100 - before), abs=tolerance), (
            task
        )


def test_all_layers_of_table_2_are_in_table_3() -> None:
    """Up to the variance of training runs, Table 2 has the best scores of Table 3."""
    placed = {task: scores for task, *scores in TABLES["Table 3"].rows}
    for task, *_, all_layers in TABLES["Table 2"].rows:
        assert min(abs(all_layers - score) for score in placed[task]) <= 0.4


def test_every_subject_is_a_table_or_a_finding() -> None:
    assert set(SUBJECTS) == {*TABLES, *FINDINGS}
    assert not set(TABLES) & set(FINDINGS)


def test_lookups_by_row() -> None:
    assert published_row("Table 1", "SNLI") == [88.0, 88.7, 5.8]
    assert published_score("Table 6", "biLM", "1") == 97.3
    assert published_score("Table 6", "random biLM", "1") is None
