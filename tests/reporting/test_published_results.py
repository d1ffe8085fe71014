"""The paper's numbers against each other: it prints some twice."""

import pytest

from elmo_plugin.reporting.published_results import FINDINGS, SUBJECTS, TABLES


def test_relative_error_reductions_follow_from_the_scores() -> None:
    for task, *cells in TABLES["Table 1"].rows:
        before, after, printed = (float(cell.split(" ± ")[0]) for cell in cells)
        # The printed scores are rounded, and so is what the paper computed from them.
        tolerance = 100 * 0.1 / (100 - before) + 0.5
        assert printed == pytest.approx(100 * (after - before) / (100 - before), abs=tolerance), (
            task
        )


def test_all_layers_are_the_input_or_both_of_the_placement_table() -> None:
    """Table 2 has the best of Table 3, within the spread of trainings."""
    placed = {task: scores for task, *scores in TABLES["Table 3"].rows}
    for task, *_, all_layers in TABLES["Table 2"].rows:
        assert min(abs(all_layers - score) for score in placed[task]) <= 0.4


def test_each_has_a_place() -> None:
    assert set(SUBJECTS) == {*TABLES, *FINDINGS}
    assert not set(TABLES) & set(FINDINGS)
