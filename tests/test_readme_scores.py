"""The scores in README.md are those of the tables in results/."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Optional

import pytest

from elmo_plugin.experiments.controls import LAYER_0, RANDOM, WIDE
from elmo_plugin.experiments.runner.descriptions import ENDED_AT_MAXIMUM

ROOT = Path(__file__).parents[1]
SECTION = re.compile(r"^## Six tasks.*?(?=^## )", re.MULTILINE | re.DOTALL)
# The README has one digit, of numbers that the tables give with two or more.
PRECISION = 0.051
LARGE = "ELMo, large biLM"
NOT_FINE_TUNED = "ELMo, biLM not fine-tuned"
NOT_TRAINED = "–"  # noqa: RUF001 (a dash)
VERSUS = "ELMo vs. this system: "
BEST = "vs. the best on development data: "


def section() -> str:
    found = SECTION.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found
    return found[0]


def prose() -> str:
    """Return the section on one line."""
    return " ".join(section().split())


def results(name: str) -> list[dict[str, Any]]:
    return json.loads((ROOT / "results" / f"{name}.json").read_text())["rows"]


def table_metadata(name: str) -> dict[str, Any]:
    return json.loads((ROOT / "results" / f"{name}.json").read_text())["metadata"]


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text.replace(",", ""))]


def tables() -> list[list[list[str]]]:
    """Return the cells of the section's tables, without their headings."""
    found = re.findall(r"(?:^\|.*\n)+", section(), re.MULTILINE)
    return [[line.strip("| ").split(" | ") for line in table.splitlines()[2:]] for table in found]


def test_table_of_the_six_tasks() -> None:
    shown, *_ = tables()
    expected_rows = [*results("six_tasks"), *results("sst5_phrases")]
    for cells, row in zip(shown, expected_rows, strict=True):
        *_, size, seeds, before, after, gain, p = cells
        assert (numbers(size), int(seeds)) == ([row["trained on"]], row["seeds"])
        for score, column in ((before, "baseline"), (after, "with ELMo")):
            expected = [row[column]["mean"], row[column]["sd"]]
            assert numbers(score) == pytest.approx(expected, abs=PRECISION)
        expected = [row["gain"], *row["95% CI of the gain"].values()]
        assert numbers(gain) == pytest.approx(expected, abs=PRECISION)
        assert numbers(p) == pytest.approx([row["p"]["p"]], abs=0.0005)


def test_first_screen_has_the_comparisons_of_the_six_tasks() -> None:
    (shown,) = re.findall(
        r"ELMo is significantly better in \[(\w+) of (\w+) comparisons\]\(#six-tasks[^)]*\), such "
        r"as F1 ([\d.]+) in place of ([\d.]+) in semantic role labeling",
        " ".join((ROOT / "README.md").read_text(encoding="utf-8").split()),
    )
    rows = [*results("six_tasks"), *results("sst5_phrases")]
    better = [r for r in rows if r["p"]["p"] < 0.05 and r["95% CI of the gain"]["low"] > 0]
    assert (len(better), len(rows)) == (6, 7) and shown[:2] == ("six", "seven")
    (srl,) = (row for row in rows if row["task"] == "SRL")
    expected = [srl["with ELMo"]["mean"], srl["baseline"]["mean"]]
    assert [*map(float, shown[2:])] == pytest.approx(expected, abs=PRECISION)


def test_baselines_are_above_simple_ones() -> None:
    (limit,) = re.findall(r"simple\sbaselines\].*?\(p at most\s([\d.]+)\)", section(), re.DOTALL)
    rows = results("simple_baselines")
    assert {row["task"] for row in rows} == {row["task"] for row in results("six_tasks")}
    for row in [*rows, *results("simple_baselines_sst5_phrases")]:
        gain, p = (row[f"model's baseline vs. this: {name}"] for name in ("gain", "p"))
        assert gain > 0 and p["p"] <= float(limit)


def table(heading: str) -> list[tuple[str, list[str]]]:
    """
    Return the names of the results in results/ that the rows of the table after a heading in bold
    link to, and the other cells.
    """
    (lines,) = re.findall(
        rf"^\*\*{heading}\*\*.*?((?:^\|[^\n]*\n)+)", section(), re.MULTILINE | re.DOTALL
    )
    rows = [line.split("|")[1:-1] for line in lines.splitlines()[2:]]
    names = [re.findall(r"\(results/(\w+)\.md\)", row[0])[0] for row in rows]
    return [(name, [cell.strip() for cell in row[1:]]) for name, row in zip(names, rows)]


def check_cell(cell: str, score: float, significant: Optional[str] = None) -> None:
    """Check a score and, if the table tests it, its mark."""
    assert numbers(cell) == pytest.approx([score], abs=PRECISION)
    assert cell.endswith(" *n.s.*") == (significant == "no")


def metric_of(rows: list[dict[str, Any]]) -> str:
    (metric,) = {"F1", "average F1", "accuracy"} & rows[0].keys()
    return metric


def test_table_of_controls() -> None:
    shown = table("Controls")
    assert {name for name, _ in shown} == {
        p.stem for p in (ROOT / "results").glob("controls*.json")
    }
    differences = []
    for name, (elmo, baseline, *cells) in shown:
        rows = {row["system"]: row for row in results(name)}
        metric = metric_of([*rows.values()])
        check_cell(elmo, rows["ELMo"][metric]["mean"])
        significant = rows["baseline"][f"{VERSUS}significant"]
        check_cell(baseline, rows["baseline"][metric]["mean"], significant)
        for system, cell in zip((WIDE, RANDOM, LAYER_0, NOT_FINE_TUNED), cells, strict=True):
            if system in rows:
                significant = rows[system][f"{VERSUS}significant"]
                check_cell(cell, rows[system][metric]["mean"], significant)
                above = rows[system][f"{VERSUS}gain"] > 0
                assert above or significant == "no"  # the text says "above each"
                differences.append((rows[system][f"{VERSUS}p"]["p"], significant, name, system))
            else:
                assert cell in (NOT_TRAINED, "")
    check_corrected(differences)


def check_corrected(differences: list[tuple[float, str, str, str]]) -> None:
    """Check what the text says of p-values that are corrected by Holm's method."""
    corrected = []
    largest = 0.0
    for rank, (p, significant, *names) in enumerate(sorted(differences)):
        largest = max(largest, p * (len(differences) - rank))
        if significant == "yes":
            corrected.append((largest, names))
    *others, (p, names) = corrected
    assert names == ["controls_coref", LAYER_0]
    (shown,) = re.findall(
        r"not significantly above the token layer in coreference either \(p = (\S+)\); the other "
        r"differences remain significant \(p at most ([\d.]+)\)",
        prose(),
    )
    assert [*map(float, shown)] == pytest.approx([p, others[-1][0]], abs=0.005)
    assert others[-1][0] < float(shown[1]) + 0.00005 < 0.05 < p


def test_table_of_placements() -> None:
    shown = table("Placement of ELMo")
    assert {name for name, _ in shown} == {p.stem for p in (ROOT / "results").glob("placem*.json")}
    below, best = set[tuple[str, str]](), dict[str, str]()
    for name, (baseline, *cells) in shown:
        rows = {row["configuration"]: row for row in results(name)}
        metric = metric_of([*rows.values()])
        check_cell(baseline, rows["baseline"][metric]["mean"])
        for place, cell in zip(("input", "output", "both"), cells, strict=True):
            check_cell(cell, rows[place][metric]["mean"], rows[place]["significant"])
            if rows[place][f"{BEST}significant"] == "yes":
                assert rows[place][f"{BEST}difference"] < 0
                below.add((name, place))
            elif rows[place][f"{BEST}difference"] is None:
                best[name] = place
    both = next(r for r in results("placement_srl") if r["configuration"] == "both")
    interval = both[f"{BEST}95% CI"]
    assert (
        "best on development data is the input in NER and semantic role labeling, the output in "
        "SNLI, and both places in SQuAD and SST-5. Significantly worse placements are the output "
        f"in NER; the output and, by {-both[f'{BEST}difference']:.1f} points (95% CI "
        f"{-interval['high']:.2f} to {-interval['low']:.1f}), both places in semantic role "
        "labeling; and the input in SNLI"
    ) in prose()
    assert below == {
        ("placement_ner", "output"),
        ("placement_srl", "output"),
        ("placement_srl", "both"),
        ("placement_snli", "input"),
    }
    places = {"ner": "input", "srl": "input", "snli": "output", "sst5": "both", "squad": "both"}
    assert best == {f"placement_{task}": place for task, place in places.items()}


def test_table_of_layers() -> None:
    shown = table("Layers of the biLM")
    assert {name for name, _ in shown} == {p.stem for p in (ROOT / "results").glob("layers*.json")}
    for name, (baseline, *cells) in shown:
        rows = {row["layers"]: row for row in results(name)}
        metric = metric_of([*rows.values()])
        check_cell(baseline, rows["baseline"][metric]["mean"])
        layers = ("last only", "all, lambda = 1", "all, lambda = 0.001")
        for layer, cell in zip(layers, cells, strict=True):
            check_cell(cell, rows[layer][metric]["mean"])
            assert rows[layer]["significant"] == (None if name == "layers_squad" else "yes")
            below = (name, layer) == ("layers_snli", "last only")
            assert (rows[layer]["gain"] < 0) == below
            assert (rows[layer][f"{BEST}significant"] == "yes") == below
            assert not below or rows[layer][f"{BEST}difference"] < 0
        if name == "layers_squad":
            without, *means = (rows[layer][metric]["mean"] for layer in ("baseline", *layers))
            assert "In SQuAD, the order is the paper's" in prose()
            assert without < means[0] < means[1] < means[2]
    assert "only the score of SNLI's last layer is significantly below that variant" in prose()
    assert (
        "fixed at 1 and is not in this table: all layers with λ = 0.001 in SNLI and semantic role "
        "labeling, the last layer in NER"
    ) in prose()
    best = {name: _best_on_development_data(name) for name, _ in shown}
    weak = "all, lambda = 0.001, gamma = 1"
    assert best == {
        "layers_snli": weak,
        "layers_srl": weak,
        "layers_ner": "last only, gamma = 1",
        "layers_squad": "all, lambda = 0.001",
    }


def _best_on_development_data(name: str) -> str:
    """Return the row that the others are compared with, which has no difference itself."""
    (row,) = [row for row in results(name) if row[f"{BEST}difference"] is None]
    return str(row["layers"])


@pytest.mark.parametrize("task", ["srl", "ner"])
def test_table_of_sample_efficiency(task: str) -> None:
    """Every row's p is the smallest that the test can give."""
    (heading,) = re.findall(r"^\| training data .*$", section(), re.MULTILINE)
    scores = dict(table("Sample efficiency"))[f"curve_{task}"]
    cells = zip(numbers(heading), scores, strict=True)
    shown = {percentage: pair for percentage, cell in cells if (pair := numbers(cell))}
    rows = {100 * row["fraction"]: row for row in results(f"curve_{task}")}
    assert shown.keys() == rows.keys()
    for percentage, row in rows.items():
        expected = [row["baseline"]["mean"], row["ELMo"]["mean"]]
        assert shown[percentage] == pytest.approx(expected, abs=PRECISION)
        assert row["p"]["p"] == pytest.approx(0.0001, abs=0.00005)


@pytest.mark.parametrize("task", ["srl", "ner"])
def test_sample_efficiency_against_more_data(task: str) -> None:
    """ELMo with less data against the baseline with more."""
    (above,) = re.findall(
        r"In both tasks, ELMo with (\d+)% is above the baseline with (\d+)% \(p = 0.0001\)", prose()
    )
    (below,) = re.findall(
        r"With (\d+)%, ELMo is below the baseline with (\d+)% \(p = 0.0001 each\)", prose()
    )
    against = table_metadata(f"curve_{task}")["ELMo with less data than the baseline"]
    differences = {
        (less, more): (float(gain), p)
        for less, more, gain, p in re.findall(
            r"(\d+)% against (\d+)%: (\S+) .*?p = ([\d.]+)", against
        )
    }
    for fractions, sign in ((above, 1), (below, -1)):
        gain, p = differences[fractions]
        assert sign * gain > 0 and p == "0.0001"
    if task == "srl":
        _, p = differences["25", "100"]
        assert (
            "ELMo with 25% does not differ significantly from the baseline with all data (64.4 and "
            f"64.3, p = {float(p):.2f})"
        ) in prose()
        less, more = (
            next(row[system] for row in results("curve_srl") if row["fraction"] == fraction)
            for system, fraction in (("ELMo", 0.25), ("baseline", 1))
        )
        shown = (round(scores["mean"], 1) for scores in (less, more))
        assert [*shown] == [64.4, 64.3] and float(p) > 0.05


def test_runs_that_ended_at_the_maximum_of_updates() -> None:
    text = prose()
    assert (
        "all three runs of the baseline, two of three of the random biLM, and one of three with "
        "ELMo. Trained until early stopping, the baseline has test F1 "
    ) in text
    systems = {"baseline": "3 of 3", RANDOM: "2 of 3", "ELMo": "1 of 3"}
    assert table_metadata("controls_squad")[ENDED_AT_MAXIMUM] == systems
    squad = {n: k for n, k in table_metadata("six_tasks")[ENDED_AT_MAXIMUM].items() if "SQ" in n}
    assert squad == {"SQuAD, baseline": "3 of 3", "SQuAD, ELMo": "1 of 3"}
    assert (
        "three of five runs of the random biLM, two of the larger baseline, one of the token layer "
        "and one of the baseline, but none with ELMo"
    ) in text
    systems = {RANDOM: "3 of 5", WIDE: "2 of 5", LAYER_0: "1 of 5", "baseline": "1 of 5"}
    assert table_metadata("controls_sst5_phrases")[ENDED_AT_MAXIMUM] == systems
    assert "some in semantic role labeling, coreference and sample efficiency, too" in text
    tables = (table.stem for table in (ROOT / "results").glob("*.json"))
    ended = {
        name for name in tables if table_metadata(name).get(ENDED_AT_MAXIMUM, "none") != "none"
    }
    assert ended == {
        *("six_tasks", "sst5_phrases"),
        *(f"controls_{name}" for name in ("squad", "sst5_phrases", "srl", "coref")),
        *("placement_squad", "layers_squad", "layers_srl", "curve_srl", "curve_ner"),
    }


def test_settings_of_snli() -> None:
    assert (
        "In SNLI, this is dropout 0.1, while the search chose 0.3 for the baseline and every "
        "control"
    ) in prose()
    tables = ("placement_snli", "layers_snli", "controls_snli")
    *shared, searched = (table_metadata(name)["Chosen on development data"] for name in tables)
    for settings in shared:
        assert settings.pop("baseline").startswith("dropout 0.3")
        assert all(one.startswith("dropout 0.1") for one in settings.values())
    assert searched.pop("ELMo").startswith("dropout 0.1")
    assert all(one.startswith("dropout 0.3") for one in searched.values())


def test_large_bilm_in_ner() -> None:
    (shown,) = re.findall(
        r"has ([\d.]+), not significantly more than the built-in one \(([\d.]+), p = ([\d.]+)\)",
        prose(),
    )
    rows = {row["system"]: row for row in results("controls_ner")}
    large, p = rows[LARGE], rows[LARGE][f"{VERSUS}p"]["p"]
    expected = [large["F1"]["mean"], rows["ELMo"]["F1"]["mean"]]
    *scores, shown_p = map(float, shown)
    assert scores == pytest.approx(expected, abs=PRECISION)
    assert shown_p == pytest.approx(p, abs=0.005) and p > 0.05
    [row] = results("ner_large")
    assert row["with ELMo"]["mean"] == large["F1"]["mean"]


def test_overlap_with_the_text_of_the_bilm() -> None:
    """
    The biLM has read two of coreference's test documents, and most of SQuAD's training text, but
    hardly any of its test data.
    """
    assert "overlaps with [two of LitBank's ten test excerpts]" in prose()
    assert "includes the training paragraphs of SQuAD, but not those of the test data" in prose()
    rows = results("text_overlap")
    share = "in the biLM's text (%)"
    coref = [row for row in rows if (row["task"], row["part"]) == ("coref", "test")]
    documents = [row[share] for row in coref if row["document"]]
    assert len(documents) == 10
    assert sum(value > 10 for value in documents) == 2
    squad = {r["part"]: r[share] for r in rows if r["task"] == "squad" and not r["document"]}
    assert squad["training"] > 50 and squad["test"] < 2


def test_documents_of_coreference_that_the_bilm_has_not_read() -> None:
    (shown,) = re.findall(
        r"Without the two, for the same models, ELMo's gain is ([\d.]+) \(p = ([\d.]+)\), and ELMo "
        r"is not significantly above the token layer \(gain ([\d.]+), p = ([\d.]+)\)",
        prose(),
    )
    gain, p, gain_of_layer_0, p_of_layer_0 = map(float, shown)
    rows = {row["system"]: row for row in results("coref_unread") if row["documents"] == "not read"}
    found = {"baseline": (gain, p, "yes"), LAYER_0: (gain_of_layer_0, p_of_layer_0, "no")}
    for system, (shown_gain, shown_p, significant) in found.items():
        row = rows[system]
        assert (row["number"], row["significant"]) == (8, significant)
        assert shown_gain == pytest.approx(row["gain"], abs=PRECISION)
        assert shown_p == pytest.approx(row["p"]["p"], abs=0.005)


def test_other_results() -> None:
    """Compare the numbers below "Other results" with Tables 5 to 7 and Figure 2."""
    items = dict(re.findall(r"^- [^(]+\((\w+ \d)[^)]*\): (.*?)\n(?=- |\n)", section(), re.M | re.S))
    senses = {(r["representation"], r["layer"]): r for r in results("senses")}
    first, upper, lower = (senses[k] for k in (("first sense", ""), ("biLM", "2"), ("biLM", "1")))
    assert first["F1"] > upper["F1"] > lower["F1"]
    assert first["p"] == lower["p"] == pytest.approx({"p": 0.0001}, abs=1e-6)
    shown = numbers(items["Table 5"].partition("F1")[2])
    assert shown == pytest.approx(
        [upper["F1"], lower["F1"], 0.0001, first["F1"], 0.0001], abs=PRECISION
    )
    pos = {(row["representation"], row["layer"]): row for row in results("pos")}
    lower, upper = (pos["biLM", layer] for layer in ("1", "2"))
    expected = [lower["accuracy"]["mean"], upper["accuracy"]["mean"], lower["p"]["p"]]
    shown = numbers(items["Table 6"].partition(" has")[2])
    assert shown == pytest.approx(expected, abs=PRECISION)
    assert shown[2] == pytest.approx(expected[2], abs=0.0005)
    tuning = {row["text"]: row for row in results("finetune")}
    expected = [
        tuning[t][k] for t in ("SNLI", "SQuAD contexts") for k in ("before", "after one epoch")
    ]
    shown = numbers(items["Table 7"].partition("from")[2])
    assert shown == pytest.approx(expected, abs=0.5)
    for row in results("mix"):
        weights = [row[f"s_{layer}"]["mean"] for layer in range(3)]
        if row["trained model"].startswith("Coref"):
            assert weights[0] == pytest.approx(weights[1], abs=0.005)
            assert weights[2] < weights[1]
        elif row["trained model"].startswith("NER"):
            assert 0 < weights[1] - weights[2] < 0.01
        else:
            assert max(weights) == weights[1 if row["location"] == "input" else 0]
