"""
The tables of task models in results/ follow from the records of single runs there: another
implementation of the statistics, with other random numbers, finds the same.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import pytest

RESULTS = Path(__file__).parents[1] / "results"
NUM_SAMPLES = 500
# Scored before the maximum number of updates was raised; see results/README.md.
SHORTER_RUNS = {"squad-baseline-search0-a951b88f55fd.test.json"}
COMPARISONS = {
    "controls": ("system", "ELMo", "ELMo vs. this system: "),
    "placement": ("configuration", "baseline", ""),
    "layers": ("layers", "baseline", ""),
}
"""By first word of a table's name: the column of the systems, the system that all others are
compared with, and what the columns of the comparison begin with."""
SAMPLED = {"srl": 0.25, "squad": 0.1}
"""Tasks whose models are trained on a sample of the data, which differs by seed."""
NAMES = [file.stem for kind in COMPARISONS for file in sorted(RESULTS.glob(f"{kind}_*.json"))]


class Table(NamedTuple):
    task: str
    runs: Path
    seeds: list[int]
    rows: dict[str, dict[str, Any]]
    """By system."""


def read_table(name: str) -> Table:
    kind, task, *_ = name.split("_")
    content = json.loads((RESULTS / f"{name}.json").read_text())
    column, *_ = COMPARISONS[kind]
    (runs,) = re.findall(r"--runs results/(\w+)", content["metadata"]["Command"])
    (seeds,) = re.findall(r"seeds ([\d, ]+)", content["metadata"]["Trained on"])
    rows = {row[column]: row for row in content["rows"]}
    return Table(task, RESULTS / runs, [*map(int, seeds.split(", "))], rows)


def name_in_records(task: str, system: str, recorded: set[str]) -> str:
    """Return the name that begins those of the files of a system's runs."""
    places = {"input": "elmo", "output": "elmo_output", "both": "elmo_both"}
    name = places.get(system) or re.sub(r"[^\w.]+", "-", system)
    of_table_1 = "elmo_both" if task in ("snli", "squad") else "elmo"
    return name if name in recorded and system != "ELMo" else of_table_1


@cache
def counts_of(task: str, system: str, runs: Path, seeds: tuple[int, ...]) -> numpy.ndarray:
    """
    Return the counts of a system's runs, by seed. The first one may be a run of the search.

    # Returns

    `numpy.ndarray` : shape (runs, columns, texts).
    """
    pattern = re.compile(rf"{task}-(.+)-(search)?(\d+)-[0-9a-f]{{12}}\.test\.json")
    found: dict[str, dict[int, Path]] = {}
    for file in runs.iterdir():
        match = pattern.fullmatch(file.name)
        if match and file.name not in SHORTER_RUNS:
            seed = seeds[0] if match[2] else int(match[3])
            assert seed not in found.setdefault(match[1], {})
            found[match[1]][seed] = file
    files = found[name_in_records(task, system, {*found})]
    records = [json.loads(files[seed].read_text()) for seed in seeds]
    counts = numpy.array([record["counts"] for record in records], dtype=float)
    whole = score(counts.sum(2).T)
    assert whole == pytest.approx([record["score"] for record in records], abs=1e-6)
    return counts


def score(sums: numpy.ndarray) -> numpy.ndarray:
    """
    Return the percentage of the first column in the second one or, of twelve columns, the mean of
    three F1s, each of a precision and a recall.

    # Parameters

    sums : `numpy.ndarray`
        Shape (columns, ...).
    """
    if len(sums) == 2:
        return 100 * sums[0] / sums[1]
    precision, recall = sums[0::4] / sums[1::4], sums[2::4] / sums[3::4]
    return 100 * (2 * precision * recall / (precision + recall)).mean(0)


def sample_scores(counts: numpy.ndarray, weights: numpy.ndarray) -> numpy.ndarray:
    """Return the scores of runs on samples of texts. Shape (runs, samples)."""
    return numpy.stack([score(run @ weights) for run in counts])


def bootstrap(systems: list[numpy.ndarray], by_sample: bool = False) -> list[numpy.ndarray]:
    """
    Return the mean score of each system on samples of texts, and of one run fewer if there are
    several: `by_sample`, the same runs of all systems, which were trained on the same samples.
    """
    generator = numpy.random.default_rng(3)
    num_texts = systems[0].shape[2]
    drawn = generator.multinomial(num_texts, [1 / num_texts] * num_texts, NUM_SAMPLES)
    means = []
    for i, counts in enumerate(systems):
        scores = sample_scores(counts, drawn.T.astype(float))
        if i == 0 or not by_sample:
            chosen = generator.integers(len(counts), size=(max(len(counts) - 1, 1), NUM_SAMPLES))
        means.append(numpy.take_along_axis(scores, chosen, 0).mean(0))
    return means


def randomization(first: numpy.ndarray, second: numpy.ndarray) -> float:
    """
    Return how often two systems differ at least as much as they do if their results on random
    texts are exchanged.
    """
    kept = numpy.random.default_rng(4).integers(2, size=(first.shape[2], NUM_SAMPLES)).astype(float)
    kept[:, 0] = 1
    differences = numpy.zeros(NUM_SAMPLES)
    for a, b in zip(first, second, strict=True):
        differences += score(a @ kept + b @ (1 - kept)) - score(b @ kept + a @ (1 - kept))
    return float((abs(differences) >= abs(differences[0]) - 1e-9).mean())


def check_interval(shown: dict[str, float], sampled: numpy.ndarray) -> None:
    low, high = numpy.quantile(sampled, [0.025, 0.975])
    # A limit of 500 samples has a standard error of about 3% of the interval's width.
    assert [shown["low"], shown["high"]] == pytest.approx([low, high], abs=0.12 * (high - low))


def trained_systems() -> list[tuple[str, str]]:
    """Return the tables and their rows that were trained, with one seed or several."""
    return [
        (name, system)
        for name in NAMES
        for system, row in read_table(name).rows.items()
        if isinstance(row[metric_of(row)], dict)
    ]


def metric_of(row: dict[str, Any]) -> str:
    (metric,) = {"F1", "average F1", "accuracy"} & row.keys()
    return metric


@pytest.mark.parametrize("name, system", trained_systems())
def test_scores_are_those_of_the_records(name: str, system: str) -> None:
    table = read_table(name)
    counts = counts_of(table.task, system, table.runs, tuple(table.seeds))
    scores = score(counts.sum(2).T)
    row = table.rows[system]
    shown = row[metric_of(row)]
    assert shown["mean"] == pytest.approx(scores.mean(), abs=1e-6)
    expected = pytest.approx(scores.std(ddof=1), abs=1e-6) if len(scores) > 1 else None
    assert shown["sd"] == expected
    check_interval(row["95% CI"], bootstrap([counts])[0])


@pytest.mark.parametrize("name, system", trained_systems())
def test_differences_are_those_of_the_records(name: str, system: str) -> None:
    table = read_table(name)
    _, reference, prefix = COMPARISONS[name.split("_")[0]]
    if system == reference:
        assert table.rows[system][f"{prefix}gain"] is None
        return
    seeds = tuple(table.seeds)
    one, other = (counts_of(table.task, s, table.runs, seeds) for s in (system, reference))
    # Controls are compared with ELMo, and systems with ELMo with the baseline.
    before, after = (one, other) if reference == "ELMo" else (other, one)
    check_gain(table.rows[system], before, after, SAMPLED.get(table.task, 1) < 1, prefix)


@pytest.mark.parametrize("task", ["SQuAD", "SNLI", "SRL", "Coref", "NER", "SST-5"])
def test_gains_of_table_1_are_those_of_the_records(task: str) -> None:
    rows = [(RESULTS / "runs", row) for row in rows_of("six_tasks") if row["task"] == task]
    if task == "SST-5":
        rows += [(RESULTS / "runs_sst5_phrases", row) for row in rows_of("sst5_phrases")]
    assert rows
    for runs, row in rows:
        seeds = tuple(range(1, row["seeds"] + 1))
        systems = {"baseline": "baseline", "with ELMo": "ELMo"}
        name = task.lower().replace("-", "")
        check_pair(row, systems, name, runs, seeds, SAMPLED.get(name, 1) < 1)


@pytest.mark.parametrize("task", ["ner", "srl"])
def test_gains_of_figure_1_are_those_of_the_records(task: str) -> None:
    """Runs on the fraction that Table 1 has are named as there."""
    for row in rows_of(f"curve_{task}"):
        fraction = row["fraction"]
        of_part = "" if fraction == SAMPLED.get(task, 1) else f"-{fraction:g}"
        systems = {"baseline": f"baseline{of_part}", "ELMo": f"ELMo{of_part}"}
        check_pair(row, systems, task, RESULTS / "runs", (1, 2, 3), fraction < 1)


def test_searches_of_sst5_with_phrases_that_ended_at_the_maximum() -> None:
    """README names those of settings that were not chosen, which have no test score."""
    ended = []
    for file in (RESULTS / "runs_sst5_phrases").glob("*-search?-????????????.json"):
        scores = json.loads(file.read_text())["scores"]
        was_chosen = file.with_suffix(".test.json").exists()
        # The maximum is 15,000 updates, 30 evaluations, and the patience 6 evaluations.
        if not was_chosen and len(scores) == 30 and scores.index(max(scores)) >= 24:
            ended.append(file.name.partition("-search")[0])
    assert sorted(ended) == ["sst5-ELMo-token-layer-only", "sst5-baseline"]


def test_best_evaluations_of_squads_runs_on_five_percent() -> None:
    """results/README.md names the scores, and which were the best at the last evaluation."""
    text = " ".join((RESULTS / "README.md").read_text(encoding="utf-8").split())
    found: dict[str, list[tuple[float, int]]] = {}
    for file in sorted((RESULTS / "runs_squad_five_percent").glob("*-????????????.json")):
        scores = json.loads(file.read_text())["scores"]
        # The maximum is 5,200 updates, and the patience 5 evaluations.
        assert len(scores) == 13 or len(scores) - 1 - scores.index(max(scores)) == 5
        (name,) = re.findall(r"squad-(.+)-(?:search)?\d-", file.name)
        found.setdefault(name, []).append((max(scores), scores.index(max(scores))))
    assert {name: [best for _, best in runs] for name, runs in found.items()} == {
        "baseline": [12, 12],
        "elmo": [12],
        "elmo_output": [9],
        "elmo_both": [8],
        "last-only": [7],
        "last-only-gamma-1": [11],
        "all-lambda-1": [4],
        "all-lambda-0.001": [5],
    }
    first, second = sorted(score for score, _ in found["baseline"])
    (elmo, output, both) = (found[n][0][0] for n in ("elmo", "elmo_output", "elmo_both"))
    second_seed = RESULTS / "runs_squad_five_percent" / "squad-baseline-2-887ebf006b36.test.json"
    test = json.loads(second_seed.read_text())["score"]
    assert (
        f"(development F1 {first:.1f}; second seed {second:.1f}, test F1 {test:.1f}) and ELMo at "
        f"the input ({elmo:.1f}) then had their best score at the last evaluation, while ELMo at "
        f"the output ({output:.1f}) and at both places ({both:.1f}) had it at the tenth and the "
        "ninth of thirteen"
    ) in text
    assert (
        "best score at the eighth evaluation (last layer), the twelfth (γ fixed), "  # noqa: RUF001
        "the fifth (λ = 1) and the sixth (λ = 0.001)"
    ) in text


def test_runs_of_squad_until_early_stopping() -> None:
    """Both READMEs name their scores and ELMo's gain, results/README.md also the evaluations."""
    files = (RESULTS / "README.md", RESULTS.parent / "README.md")
    text, readme = (" ".join(file.read_text(encoding="utf-8").split()) for file in files)
    first, longer = RESULTS / "runs", RESULTS / "runs_squad_longer"
    evaluations = []
    for name in (
        *("baseline-search0-4f8f0df62d0a", "baseline-2-ccdf10bd1f61", "baseline-3-d99ce742fa06"),
        "elmo_both-2-79f0adb987c3",
    ):
        scores = json.loads((longer / f"squad-{name}.json").read_text())["scores"]
        without_better_score = len(scores) - 1 - scores.index(max(scores))
        assert without_better_score == 5  # 2,000 updates
        evaluations.append(len(scores))
    assert "after {}, {} and {} evaluations, ".format(*evaluations[:3]) in text
    assert f"ELMo's after {evaluations[3]}, " in text
    seeds = (1, 2, 3)
    before = [counts_of("squad", system, first, seeds) for system in ("baseline", "ELMo")]
    baseline, elmo = counts_of("squad", "baseline", longer, seeds), before[1].copy()
    # The other two with ELMo had ended by early stopping.
    elmo[1] = json.loads((longer / "squad-elmo_both-2-79f0adb987c3.test.json").read_text())[
        "counts"
    ]
    scores_of = [[score(runs.sum(2).T) for runs in pair] for pair in (before, (baseline, elmo))]
    old, new = ("{:.1f}, {:.1f} and {:.1f}".format(*pair[0]) for pair in scores_of)
    old_elmo, new_elmo = (f"{pair[1][1]:.1f}" for pair in scores_of)
    gain = scores_of[1][1].mean() - scores_of[1][0].mean()
    sampled = bootstrap([baseline, elmo], by_sample=True)
    for prose in (text, readme):
        assert f"test F1 {new} in place of {old}" in prose
        assert f"{new_elmo} in place of {old_elmo}" in prose
        (limits,) = re.findall(rf"(?:is|to) {gain:.1f} \(95% CI ([\d.]+) to ([\d.]+)", prose)
        check_interval(dict(zip(("low", "high"), map(float, limits))), sampled[1] - sampled[0])
    assert randomization(baseline, elmo) == pytest.approx(0, abs=0.004)


def rows_of(name: str) -> list[dict[str, Any]]:
    return json.loads((RESULTS / f"{name}.json").read_text())["rows"]


def check_pair(
    row: dict[str, Any],
    systems: dict[str, str],
    task: str,
    runs: Path,
    seeds: tuple[int, ...],
    by_sample: bool,
) -> None:
    """Check the scores in two columns, whose systems are given, and their difference."""
    before, after = counts = [counts_of(task, name, runs, seeds) for name in systems.values()]
    for column, of_system in zip(systems, counts):
        scores = score(of_system.sum(2).T)
        shown = [row[column]["mean"], row[column]["sd"]]
        assert shown == pytest.approx([scores.mean(), scores.std(ddof=1)], abs=1e-6)
    check_gain(row, before, after, by_sample)


def check_gain(
    row: dict[str, Any],
    before: numpy.ndarray,
    after: numpy.ndarray,
    by_sample: bool,
    prefix: str = "",
) -> None:
    means = [score(counts.sum(2).T).mean() for counts in (before, after)]
    assert row[f"{prefix}gain"] == pytest.approx(means[1] - means[0], abs=1e-6)
    sampled = bootstrap([before, after], by_sample)
    check_interval(row[f"{prefix}95% CI of the gain"], sampled[1] - sampled[0])
    p = randomization(before, after)
    assert row[f"{prefix}p"]["p"] == pytest.approx(p, abs=0.004 + 4 * (p / NUM_SAMPLES) ** 0.5)
