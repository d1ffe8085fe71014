"""Describe the outcomes of a comparison in the notes below its table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from elmo_plugin.experiments.runner.configurations import Configuration, bilm_weight_files
from elmo_plugin.experiments.runner.outcomes import Outcome
from elmo_plugin.experiments.runner.protocol import Protocol
from elmo_plugin.experiments.runner.systems import System
from elmo_plugin.reporting.names import metric_title
from elmo_plugin.reporting.provenance import TRAINED_BY

SHARED_SETTINGS = "Settings chosen for another configuration"
TRAINING_TIME = "Training, without the search"
ENDED_AT_MAXIMUM = "Ended at the maximum number of updates, before early stopping"
STATISTICS = (
    "mean ± standard deviation over the seeds. The interval is a bootstrap over texts and seeds: "
    "too wide where seeds hardly differ, too narrow where few seeds or texts differ much. Systems "
    "that were trained on the same random samples of the training data are compared by sample. "
    "p is from approximate randomization over texts: it tests these trained models, not the "
    "variation between seeds. Instances that share a text (predicates of a sentence, questions "
    "about a paragraph, hypotheses of a premise) are resampled together. p is two-sided and not "
    "corrected for the number of comparisons; the smallest possible one is 0.0001, or 2/2^n for n "
    "texts, if that is larger. A difference is significant if p < 0.05 and its interval does not "
    "contain 0"
)
_SEARCH_ENDED_AT_MAXIMUM = "Search runs with other settings that ended at the maximum"
_WEIGHTS = "SHA-256 of the biLM's weights, where recorded"


def describe(
    outcomes: Mapping[str, Outcome], data: str, protocol: Protocol, shared: Mapping[str, str]
) -> dict[str, Any]:
    """
    Describe the data, scores and code of a table.

    # Parameters

    outcomes : `Mapping[str, Outcome]`
        By system.
    data : `str`
        Name of the dataset.
    protocol : `Protocol`
    shared : `Mapping[str, str]`
        See `shared_searches`.
    """
    first = next(iter(outcomes.values()))
    run = first.runs[0]
    metric = metric_title(run.metric)
    seeds = ", ".join(map(str, protocol.seeds))
    chosen = {name: one.setting for name, one in outcomes.items() if one.setting}
    return {
        "Data": data,
        **({"Statistics": STATISTICS} if first.evaluations else {}),
        "Score": f"{metric} on {first.scored_on:,} {first.part} instances, of the best "
        f"epoch on {run.scored_on:,} development instances",
        "Trained on": f"{trained_on(outcomes.values())} instances, seeds {seeds}",
        TRAINING_TIME: training_hours(outcomes.values()),
        ENDED_AT_MAXIMUM: runs_ended_at_maximum(outcomes) or "none",
        "Search": "; ".join(protocol.grid) or "none",
        _SEARCH_ENDED_AT_MAXIMUM: runs_ended_at_maximum(outcomes, in_search=True) or "none",
        SHARED_SETTINGS: shared or "none",
        "Chosen on development data": chosen or "nothing",
        **provenance(outcomes),
    }


def describe_systems(
    systems: Mapping[str, System], configs: Mapping[str, Configuration]
) -> dict[str, Any]:
    """Name the files of the systems' configurations, and the biLM of each system with ELMo."""
    files = (
        (Path(*Path(system.path).parts[-2:]).as_posix(), name) for name, system in systems.items()
    )
    bilms = {name: ", ".join(bilm_weight_files(config)) for name, config in configs.items()}
    return {
        "Configurations": _names_by_value(files),
        "biLM": {name: bilm for name, bilm in bilms.items() if bilm} or "none",
    }


def trained_on(outcomes: Iterable[Outcome]) -> str:
    """Return the number of training instances, or the smallest and the largest one."""
    numbers = sorted({run.trained_on for outcome in outcomes for run in outcome.runs})
    return " to ".join(f"{number:,}" for number in dict.fromkeys([numbers[0], numbers[-1]]))


def training_hours(outcomes: Iterable[Outcome]) -> str:
    """Return how long the training runs with the chosen settings took, resumed ones at least."""
    runs = [run for outcome in outcomes for run in outcome.runs]
    hours = f"{sum(run.seconds for run in runs) / 3600:.1f} hours"
    if not any(run.resumed for run in runs):
        return hours
    return f"at least {hours} (interrupted runs count from their last start)"


def provenance(outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """
    Return the machines that trained, the checksums of the biLMs' weights as far as the runs have
    recorded them, and the versions of the code that trained and scored.
    """
    runs = [(run, name) for name, one in outcomes.items() for run in one.runs]
    machines = _names_by_value((run.machine, name) for run, name in runs)
    weights = _names_by_value(
        (f"{sha256:.12}", name) for run, name in runs for sha256 in run.bilm_weights
    )
    commits = {commit for one in outcomes.values() for commit in one.commits}
    return {
        "Machine": machines if len(machines) > 1 else next(iter(machines)),
        **({_WEIGHTS: weights} if weights else {}),
        TRAINED_BY: ", ".join(sorted(commits)),
    }


def _names_by_value(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Group the names of pairs of value and name."""
    names: dict[str, list[str]] = {}
    for value, name in dict.fromkeys(pairs):
        names.setdefault(value, []).append(name)
    return names


def runs_ended_at_maximum(
    outcomes: Mapping[str, Outcome], in_search: bool = False
) -> dict[str, str]:
    """
    Return by name how many runs, or `in_search` those of other settings than the chosen ones, ended
    at the maximum number of updates, before early stopping, so that longer ones might score higher.
    """
    found: dict[str, str] = {}
    for name, one in outcomes.items():
        runs = [run for run in one.searched if run not in one.runs] if in_search else one.runs
        if number := sum(map(one.ended_at_maximum, runs)):
            found[name] = f"{number} of {len(runs)}"
    return found
