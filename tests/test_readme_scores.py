"""The README's scores are those of results/six_tasks.json and results/controls_*.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from elmo_plugin.experiments.controls import LAYER_0, RANDOM, WIDE
from elmo_plugin.experiments.runner.descriptions import ENDED_AT_MAXIMUM

ROOT = Path(__file__).parents[1]
SECTION = re.compile(r"^## Six tasks.*?(?=^## )", re.MULTILINE | re.DOTALL)
# The README has one digit, of numbers that the tables give with two or more.
PRECISION = 0.051
LARGE = "ELMo, large biLM"
NOT_FINE_TUNED = "ELMo, biLM not fine-tuned"


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


def test_table_of_controls() -> None:
    _, shown, _ = tables()
    assert len(shown) == 5
    for link, *scores in shown:
        (name,) = re.findall(r"\(results/(controls_.*)\.md\)", link)
        (metric,) = {"F1", "average F1", "accuracy"} & results(name)[0].keys()
        rows = {row["system"]: row[metric] for row in results(name)}
        for system, score in zip(("ELMo", RANDOM, LAYER_0, WIDE), scores, strict=True):
            if system in rows:
                assert float(score) == pytest.approx(rows[system]["mean"], abs=PRECISION)
            else:
                assert not numbers(score)


@pytest.mark.parametrize("system", [WIDE, RANDOM, LAYER_0])
@pytest.mark.parametrize("name", ["controls_ner", "controls_srl"])
def test_elmo_is_above_the_controls(name: str, system: str) -> None:
    assert "above the controls below, with p = 0.0001 each" in prose()
    (row,) = (row for row in results(name) if row["system"] == system)
    assert row["ELMo vs. this system: p"]["p"] == pytest.approx(0.0001, abs=0.00005)
    assert row["ELMo vs. this system: significant"] == "yes"


def test_controls_of_coref() -> None:
    (shown,) = re.findall(
        r"In coreference, ELMo is above the random biLM \(p = (\S+)\) and the token layer "
        r"\(p = (\S+)\)",
        prose(),
    )
    rows = {row["system"]: row for row in results("controls_coref")}
    for system, p in zip((RANDOM, LAYER_0), map(float, shown), strict=True):
        assert rows[system]["ELMo vs. this system: significant"] == "yes"
        assert p == pytest.approx(rows[system]["ELMo vs. this system: p"]["p"], abs=0.0005)


def test_controls_of_coref_in_documents_that_the_bilm_has_not_read() -> None:
    (shown,) = re.findall(
        r"On the eight excerpts that the biLM has not read, it is above the random biLM "
        r"\(gain (\S+), p = (\S+)\), but not significantly above the token layer "
        r"\(gain (\S+), p = (\S+)\)",
        prose(),
    )
    random_gain, random_p, gain, p = map(float, shown)
    rows = {row["system"]: row for row in results("coref_unread") if row["documents"] == "not read"}
    found = {RANDOM: (random_gain, random_p, "yes"), LAYER_0: (gain, p, "no")}
    for system, (shown_gain, shown_p, significant) in found.items():
        row = rows[system]
        assert (row["number"], row["significant"]) == (8, significant)
        assert shown_gain == pytest.approx(row["gain"], abs=PRECISION)
        assert shown_p == pytest.approx(row["p"]["p"], abs=0.0005)


def test_controls_of_sst5_on_phrases_that_ended_early() -> None:
    assert (
        "Three of the random biLM's five runs there, two of the larger baseline's and none of "
        "ELMo's ended at the maximum of updates"
    ) in prose()
    ended = table_metadata("controls_sst5_phrases")[ENDED_AT_MAXIMUM]
    assert [ended.get(name) for name in (RANDOM, WIDE, "ELMo")] == ["3 of 5", "2 of 5", None]


def test_baselines_of_figure_1_that_ended_early() -> None:
    assert (
        "One of the baseline's three runs on 5% in semantic role labeling, and two in NER (one "
        "each on 5% and 10%), ended at the maximum of updates"
    ) in prose()
    expected = {"srl": {"baseline, 0.05"}, "ner": {"baseline, 0.05", "baseline, 0.1"}}
    for task, names in expected.items():
        ended = table_metadata(f"curve_{task}")[ENDED_AT_MAXIMUM]
        found = {name: number for name, number in ended.items() if name.startswith("baseline")}
        assert found == dict.fromkeys(names, "1 of 3")


def test_settings_of_snli() -> None:
    assert (
        "dropout 0.1, chosen for all layers at both places, while the search chose 0.3" in prose()
    )
    tables = ("placement_snli", "layers_snli", "controls_snli")
    *shared, searched = (table_metadata(name)["Chosen on development data"] for name in tables)
    for settings in shared:
        assert settings.pop("baseline").startswith("dropout 0.3")
        assert all(one.startswith("dropout 0.1") for one in settings.values())
    assert searched.pop("ELMo").startswith("dropout 0.1")
    assert all(one.startswith("dropout 0.3") for one in searched.values())


def test_controls_of_sst5_on_phrases() -> None:
    (shown,) = re.findall(
        r"random biLM \(p = (\S+)\) and the larger baseline \(p = (\S+)\), but not significantly "
        r"above the token layer alone: p = (\S+), but the gain's 95% CI, (\S+) to (\S+), "
        r"contains 0",
        prose(),
    )
    *p, low, high = map(float, shown)
    rows = {row["system"]: row for row in results("controls_sst5_phrases")}
    for system, value in zip((RANDOM, WIDE, LAYER_0), p, strict=True):
        precision = 0.0005 if system == LAYER_0 else 0.00005
        assert value == pytest.approx(rows[system]["ELMo vs. this system: p"]["p"], abs=precision)
        significant = rows[system]["ELMo vs. this system: significant"]
        assert significant == ("no" if system == LAYER_0 else "yes")
    interval = rows[LAYER_0]["ELMo vs. this system: 95% CI of the gain"]
    assert [low, high] == pytest.approx(list(interval.values()), abs=PRECISION)
    assert low < 0 < high


def test_large_bilm_in_ner() -> None:
    (sentence,) = re.findall(
        r"^In NER, the \[large biLM\].*?\n\n", section(), re.MULTILINE | re.DOTALL
    )
    rows = {row["system"]: row for row in results("controls_ner")}
    large, p = rows[LARGE], rows[LARGE]["ELMo vs. this system: p"]["p"]
    expected = [large["F1"]["mean"], rows["ELMo"]["F1"]["mean"]]
    *shown, shown_p = numbers(sentence)
    assert shown == pytest.approx(expected, abs=PRECISION)
    assert shown_p == pytest.approx(p, abs=0.005) and p > 0.05
    [row] = results("ner_large")
    assert row["with ELMo"]["mean"] == large["F1"]["mean"]


def test_controls_of_sst5() -> None:
    rows = results("controls_sst5")[-5:]
    more_parameters, *others, elmo = rows
    (sentence,) = re.findall(r"^In SST-5 on .*?\n\n", section(), re.MULTILINE | re.DOTALL)
    shown = numbers(re.sub(r"SST-5|\(results.*?\)", "", sentence))
    p = "ELMo vs. this system: p"
    expected = [elmo["accuracy"]["mean"], more_parameters["accuracy"]["mean"]]
    expected += [more_parameters[p]["p"], *(row["accuracy"]["mean"] for row in others)]
    assert shown == pytest.approx(expected, abs=PRECISION)
    assert shown[2] == pytest.approx(more_parameters[p]["p"], abs=0.0005)
    assert more_parameters[p]["p"] < 0.05
    assert all(row[p]["p"] > 0.05 for row in others)


def test_controls_of_snli() -> None:
    (shown,) = re.findall(
        r"In SNLI, ELMo is above the random biLM and the larger baseline \(p = (\S+) each\), but "
        r"does not differ significantly from the token layer \(p = (\S+)\) or the biLM that was "
        r"not fine-tuned \((\S+), p = (\S+)\)\.",
        prose(),
    )
    p_each, p_token_layer, score, p_other = map(float, shown)
    rows = {row["system"]: row for row in results("controls_snli")}
    p = {name: row["ELMo vs. this system: p"]["p"] for name, row in rows.items() if name != "ELMo"}
    for name in (RANDOM, WIDE):
        assert rows[name]["ELMo vs. this system: significant"] == "yes"
        assert p_each == pytest.approx(p[name], abs=0.00005)
    for name, value in ((LAYER_0, p_token_layer), (NOT_FINE_TUNED, p_other)):
        assert rows[name]["ELMo vs. this system: significant"] == "no"
        assert value == pytest.approx(p[name], abs=0.005)
    assert score == pytest.approx(rows[NOT_FINE_TUNED]["accuracy"]["mean"], abs=PRECISION)


def test_placement_in_snli() -> None:
    (shown,) = re.findall(
        r"the gain is ([\d.]+) at the output of the encoder and ([\d.]+) at both places "
        r"\(p = ([\d.]+) each\)\. At the input, it is ([\d.]+), not significant "
        r"\(p = ([\d.]+), but the CI of (\S+) to ([\d.]+) contains 0\)",
        prose(),
    )
    output, both, p_each, at_input, p, low, high = map(float, shown)
    rows = {row["configuration"]: row for row in results("placement_snli")}
    assert rows["input"]["significant"] == "no"
    interval = rows["input"]["95% CI of the gain"]
    found = [at_input, low, high, output, both]
    expected = [rows["input"]["gain"], interval["low"], interval["high"]]
    expected += [rows[name]["gain"] for name in ("output", "both")]
    assert found == pytest.approx(expected, abs=PRECISION)
    assert p == pytest.approx(rows["input"]["p"]["p"], abs=0.0005)
    for name in ("output", "both"):
        assert rows[name]["significant"] == "yes"
        assert p_each == pytest.approx(rows[name]["p"]["p"], abs=0.00005)


def test_placement_in_srl() -> None:
    (shown,) = re.findall(
        r"is ([\d.]+) at the input and ([\d.]+) at both places, both above the baseline's ([\d.]+) "
        r"\(p = ([\d.]+) each\)\. At the output alone, it is ([\d.]+), not significantly above the "
        r"baseline \(p = ([\d.]+)\) and below the input \(p = ([\d.]+)\)\. Both places do not "
        r"differ significantly from the input \(p = ([\d.]+), but the CI of (\S+) to ([\d.]+)",
        prose(),
    )
    at_input, both, baseline, p_gain, output, p_output, p_below, p_both, *interval = map(
        float, shown
    )
    rows = {row["configuration"]: row for row in results("placement_srl")}
    scores = {"input": at_input, "both": both, "baseline": baseline, "output": output}
    for name, score in scores.items():
        assert score == pytest.approx(rows[name]["F1"]["mean"], abs=PRECISION)
    gains = {"input": ("yes", p_gain), "both": ("yes", p_gain), "output": ("no", p_output)}
    for name, (significant, p) in gains.items():
        assert rows[name]["significant"] == significant
        assert p == pytest.approx(rows[name]["p"]["p"], abs=0.005)
    best = "vs. the best on development data: "
    assert rows["input"][f"{best}p"] is None
    for name, significant, p in (("output", "yes", p_below), ("both", "no", p_both)):
        assert rows[name][f"{best}significant"] == significant
        assert p == pytest.approx(rows[name][f"{best}p"]["p"], abs=0.00005)
    assert rows["output"][f"{best}difference"] < 0
    expected = [rows["both"][f"{best}95% CI"][end] for end in ("low", "high")]
    assert interval == pytest.approx(expected, abs=PRECISION)


def test_layers_in_snli() -> None:
    (shown,) = re.findall(
        r"accuracy is ([\d.]+) with all layers and λ = 0\.001, and ([\d.]+) with λ = 1, both above "
        r"the baseline's ([\d.]+) \(p = ([\d.]+) each\)\. With the last layer alone, it is "
        r"([\d.]+), below the baseline \(p = ([\d.]+)\)",
        prose(),
    )
    small, large, baseline, p_all, last, p_last = map(float, shown)
    rows = {row["layers"]: row for row in results("layers_snli")}
    found = {"all, lambda = 0.001": small, "all, lambda = 1": large, "last only": last}
    for name, score in {**found, "baseline": baseline}.items():
        assert score == pytest.approx(rows[name]["accuracy"]["mean"], abs=PRECISION)
    for name in found:
        assert rows[name]["significant"] == "yes"
        assert (rows[name]["gain"] > 0) == (name != "last only")
        p = p_last if name == "last only" else p_all
        assert p == pytest.approx(rows[name]["p"]["p"], abs=0.00005)


def test_baselines_are_above_simple_ones() -> None:
    (limit,) = re.findall(r"simple baselines\].*?\(p at most ([\d.]+)\)", section(), re.DOTALL)
    rows = results("simple_baselines")
    assert {row["task"] for row in rows} == {row["task"] for row in results("six_tasks")}
    for row in [*rows, *results("simple_baselines_sst5_phrases")]:
        gain, p = (row[f"model's baseline vs. this: {name}"] for name in ("gain", "p"))
        assert gain > 0 and p["p"] <= float(limit)


def test_overlap_with_the_text_of_the_bilm() -> None:
    text = prose()
    (novels,) = re.findall(r"contains (\d+)% of the .* of one and (\d+)% of those of another", text)
    (squad,) = re.findall(
        r"\(([\d.]+)% of the sequences of the training data, ([\d.]+)% of the development and "
        r"([\d.]+)% of the test data\)",
        text,
    )
    rows = results("text_overlap")
    share = "in the biLM's text (%)"
    documents = (r[share] for r in rows if (r["task"], r["part"]) == ("coref", "test"))
    parts = [r[share] for r in rows if r["task"] == "squad" and not r["document"]]
    assert [*map(float, novels)] == pytest.approx(sorted(documents)[:-3:-1], abs=0.51)
    assert [*map(float, squad)] == pytest.approx(parts, rel=0.05)


def test_coreference_in_documents_that_the_bilm_has_not_read() -> None:
    (gain, p) = re.findall(r"On the other eight, the gain is ([\d.]+) \(p = ([\d.]+)\)", prose())[0]
    rows = {row["system"]: row for row in results("coref_unread") if row["documents"] == "not read"}
    row = rows["baseline"]
    assert (row["number"], row["significant"]) == (8, "yes")
    assert float(gain) == pytest.approx(row["gain"], abs=PRECISION)
    assert float(p) == pytest.approx(row["p"]["p"], abs=0.005)


@pytest.mark.parametrize("task", ["srl", "ner"])
def test_sample_efficiency(task: str) -> None:
    """The table of Figure 1; every row's p is the smallest that the test can give."""
    (heading,) = re.findall(r"^\| training data .*$", section(), re.MULTILINE)
    (scores,) = [cells[1:] for cells in tables()[2] if f"results/curve_{task}.md" in cells[0]]
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
    """The paragraph after that table: ELMo with less data against the baseline with more."""
    text = prose()
    (both,) = re.findall(r"ELMo with (\d+)% is above the baseline with (\d+)% \(p = 0.0001\)", text)
    (claims,) = re.findall(
        r"With (\d+)%, it is above the baseline with (\d+)% in semantic role labeling and with "
        r"(\d+)% in NER, where ELMo with (\d+)% is also above the baseline with (\d+)% "
        r"\(p = 0.0001 each\)",
        text,
    )
    (below,) = re.findall(r"With (\d+)%, ELMo is below the baseline with (\d+)%", text)
    less, more_srl, more_ner, *other = claims
    above = [both, (less, more_srl)] if task == "srl" else [both, (less, more_ner), tuple(other)]
    against = table_metadata(f"curve_{task}")["ELMo with less data than the baseline"]
    differences = {
        (less, more): (float(gain), p)
        for less, more, gain, p in re.findall(
            r"(\d+)% against (\d+)%: (\S+) .*?p = ([\d.]+)", against
        )
    }
    assert all(gain > 0 and p == "0.0001" for gain, p in map(differences.__getitem__, above))
    gain, p = differences[below]
    assert gain < 0 and p == "0.0001"
