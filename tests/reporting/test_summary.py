"""The summary says what the cells of the tables say."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elmo_plugin.reporting.published_results import SUBJECTS
from elmo_plugin.reporting.summary import _SUMMARIES, summarize
from elmo_plugin.reporting.tables import SeedStats, Table


def stats(value: float) -> SeedStats:
    return SeedStats((value - 1, value + 1))


def test_tasks_count_those_that_gain() -> None:
    columns = ["task", "baseline", "with ELMo"]
    rows = [["NER", stats(40), stats(44)], ["SNLI", stats(60), stats(59)], ["SRL", None, None]]
    [sentence] = summarize([Table("t", columns, rows, paper="Table 1")])
    assert "1 of 2 tasks" in sentence
    assert "NER 40.0 to 44.0" in sentence and "SNLI 60.0 to 59.0" in sentence
    assert "SRL" not in sentence


def test_tasks_count_those_whose_gain_is_tested() -> None:
    columns = ["task", "baseline", "with ELMo", "significant"]
    rows = [["NER", 40.0, 44.0, "yes"], ["SNLI", 60.0, 59.0, "yes"], ["SRL", 50.0, 51.0, "no"]]
    [sentence] = summarize([Table("t", columns, rows, paper="Table 1")])
    assert "2 of 3 tasks (1 significantly)" in sentence


@pytest.mark.parametrize("answer", [None, ""])
def test_nothing_is_called_insignificant_without_a_test(answer: str | None) -> None:
    """`significant` is empty with one seed."""
    tasks = Table("t", ["task", "baseline", "with ELMo", "significant"], [], paper="Table 1")
    tasks.rows.append(["NER", 40.0, 60.0, answer])
    placement = Table("t", ["configuration", "gain", "significant"], [], paper="Table 3")
    placement.rows.append(["elmo", 20.0, answer])
    assert not any("significant" in sentence for sentence in summarize([tasks, placement]))


def test_tables_of_tasks_are_counted_apart() -> None:
    """Two tables may have the same task, with two biLMs."""
    columns = ["task", "baseline", "with ELMo"]
    tables = [
        Table(title, columns, [["NER", 40.0, score]], paper="Table 1")
        for title, score in (("a", 44.0), ("b", 39.0))
    ]
    first, second = summarize(tables)
    assert first.startswith("a: ") and "1 of 1 tasks: NER 40.0 to 44.0" in first
    assert second.startswith("b: ") and "0 of 1 tasks: NER 40.0 to 39.0" in second


def test_placements_have_their_gains() -> None:
    columns = ["configuration", "accuracy", "gain", "significant"]
    for significant, shown in (("no", "none"), ("yes", "both")):
        rows = [["baseline", 43.4, None, None], ["elmo", 44.7, 1.28, "no"]]
        rows.append(["elmo_both", 45.2, 1.77, significant])
        [sentence] = summarize([Table("Placement: SST-5", columns, rows, paper="Table 3")])
        assert sentence == f"Gain by placement, SST-5: input +1.3, both +1.8; significant: {shown}."


def test_layers_compare_one_mix_with_the_last_layer() -> None:
    """The best of several mixes would be chosen by its test score."""

    def table(task: str, last: float, gains: dict[str, float]) -> Table:
        rows = [["baseline", stats(1), 0.0], ["last only", stats(1), last]]
        rows += [[f"all, lambda = {penalty}", stats(1), gain] for penalty, gain in gains.items()]
        return Table(task, ["layers", "F1", "gain"], rows, paper="Table 2")

    above, below = {"1": 1.0, "0.001": 3.0}, {"1": 3.0, "0.001": 1.5}
    [sentence] = summarize([table("a", 2.0, above), table("b", 2.0, below)])
    assert "1 of 2 tasks" in sentence


@pytest.mark.parametrize("paper, score", [("Table 5", "F1"), ("Table 6", "accuracy")])
def test_representations_are_ranked_by_their_best_layer(paper: str, score: str) -> None:
    rows = [["static vectors", "", 50.0], ["biLM", "1", 70.0], ["biLM", "average", 71.5]]
    [sentence] = summarize([Table("t", ["representation", "layer", score], rows, paper=paper)])
    assert sentence == f"t, {score}: biLM, average: 71.5; static vectors: 50.0."


def test_tables_of_other_data_are_ranked_apart() -> None:
    columns = ["representation", "layer", "F1"]
    tables = [
        Table("t", columns, [["biLM", "1", one], ["biLM", "2", two]], paper="Table 5")
        for one, two in ((60.0, 61.0), (90.0, 80.0))
    ]
    assert summarize(tables) == ["t, F1: biLM, layer 2: 61.0.", "t, F1: biLM, layer 1: 90.0."]


def test_table_of_another_form_is_left_out() -> None:
    whole = Table("t", ["representation", "layer", "accuracy"], [["a", "", 9.0]], paper="Table 6")
    other = Table("u", ["layer", "accuracy"], [["1", 50.0]], paper="Table 6")
    assert summarize([other, whole]) == summarize([whole]) == ["t, accuracy: a: 9.0."]


def test_fine_tuning_counts_lower_perplexities() -> None:
    rows = [["a", 100.0, 50.0], ["b", 10.0, 20.0]]
    table = Table("t", ["text", "before", "after one epoch"], rows, paper="Table 7")
    assert summarize([table]) == ["Fine-tuning lowers the perplexity of 1 of 2 texts."]


cells = st.one_of(st.none(), st.text(max_size=5), st.floats(), st.integers())
names = st.sampled_from(
    [
        *("task", "baseline", "with ELMo", "layers", "gain", "configuration", "F1", "accuracy"),
        *("representation", "layer", "before", "after one epoch", "significant", "x"),
    ]
)


# A busy machine may draw tables slowly.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_no_table_breaks_the_summary(data: st.DataObject) -> None:
    # Include the columns that the summary of one table needs, or none in particular.
    needed = data.draw(
        st.sampled_from([frozenset(), *(one.columns for one in _SUMMARIES.values())])
    )
    columns = [*needed, *data.draw(st.lists(names.filter(lambda n: n not in needed), unique=True))]
    rows = data.draw(st.lists(st.lists(cells, min_size=len(columns), max_size=len(columns))))
    for paper in SUBJECTS:
        assert len(summarize([Table("t", columns, rows, paper=paper)])) <= 1
