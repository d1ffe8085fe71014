"""The trained and scored runs of a system, one per seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy
from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.run_files import Evaluation, Run
from elmo_plugin.experiments.runner.runs import Runs
from elmo_plugin.experiments.statistics.significance import (
    Difference,
    bootstrap_interval,
    compare,
)
from elmo_plugin.reporting.tables import Cell, Interval, SeedStats

DIFFERENCE_COLUMNS = ("gain", "95% CI of the gain", "p", "significant")


@dataclass(frozen=True)
class Outcome:
    """
    A system's runs, all with the same settings.

    # Parameters

    runs : `Sequence[Run]`
        One per seed.
    evaluations : `Sequence[Evaluation]`
        One per seed, or none if there are no test data.
    setting : `str`, optional (default = `""`)
        The settings that development data chose; "" if there was no search.
    patience : `int`, optional
        Epochs without a better score after which training stops.
    searched : `Sequence[Run]`, optional (default = `()`)
        The runs of the search, one per setting.
    samples : `Sequence[int]`, optional (default = `()`)
        The seed of each run's random sample of the training data; empty if all are trained on.
    """

    runs: Sequence[Run]
    evaluations: Sequence[Evaluation] = ()
    setting: str = ""
    patience: Optional[int] = None
    searched: Sequence[Run] = ()
    samples: Sequence[int] = ()

    @property
    def scores(self) -> SeedStats:
        """Scores on test data; without these, the best epochs' on development data."""
        scored: Sequence[Run | Evaluation] = self.evaluations or self.runs
        return SeedStats(tuple(one.score for one in scored))

    @property
    def counts(self) -> Optional[numpy.ndarray]:
        """
        Return what the seeds' evaluations counted, see `Evaluation`; `None` without test data.
        Shape (seeds, texts, columns).
        """
        if not self.evaluations:
            return None
        shapes = {one.array.shape for one in self.evaluations}
        if len(shapes) > 1:
            raise ConfigurationError(
                "counts: expected the same texts and columns for all seeds, found "
                f"{' and '.join(map(str, sorted(shapes)))} for the training runs "
                f"{', '.join(one.fingerprint[:12] for one in self.evaluations)}"
            )
        return numpy.stack([one.array for one in self.evaluations])

    def ended_at_maximum(self, run: Run) -> bool:
        """Return True if patience did not end a training run."""
        return self.patience is None or len(run.scores) - run.best_epoch < self.patience

    @property
    def part(self) -> str:
        """The data that `scores` are on, "test" or "development"."""
        return "test" if self.evaluations else "development"

    @property
    def scored_on(self) -> int:
        """Number of instances."""
        return self.evaluations[0].instances if self.evaluations else self.runs[0].scored_on

    @property
    def commits(self) -> set[str]:
        """The versions of the code that searched, trained and scored."""
        found = [run.commit for run in (*self.searched, *self.runs)]
        found += [one.commit for one in self.evaluations]
        return {version for commits in found for version in commits.split(", ")}

    @property
    def interval(self) -> Optional[Interval]:
        """The 95% CI of the mean score; `None` without test data."""
        counts = self.counts
        return None if counts is None else bootstrap_interval(counts)


def find_outcome(
    runs: Runs, configs: Sequence[Configuration], grid: Sequence[Configuration], setting: str
) -> Outcome:
    """
    Return the finished runs of a system.

    # Parameters

    runs : `Runs`
    configs : `Sequence[Dict[str, Any]]`
        One per seed, with the chosen settings.
    grid : `Sequence[Dict[str, Any]]`
        Those of the search.
    setting : `str`
        The settings that the search chose.
    """
    finished, searched = (
        [run for config in found if (run := runs.find(config)) is not None]
        for found in (configs, grid)
    )
    evaluations = [one for config in configs if (one := runs.evaluate(config)) is not None]
    readers = [config["dataset_reader"] for config in configs]
    samples = [reader.get("seed", 0) for reader in readers if reader.get("type") == "subsample"]
    patience = configs[0]["trainer"].get("patience")
    return Outcome(finished, evaluations, setting, patience, searched, samples)


def difference(before: Outcome, after: Outcome) -> Optional[Difference]:
    """
    Compare two systems; `None` without test data. If the training samples of both were drawn with
    the same seeds, a different one for each run, the interval draws the same seeds for both: a
    seed's samples are equal, or the smaller one is part of the larger.
    """
    first, second = before.counts, after.counts
    if first is None or second is None:
        return None
    distinct = 0 < len(set(before.samples)) == len(before.samples)
    shared = distinct and before.samples == after.samples
    return compare(first, second, shared_seeds=shared)


def difference_cells(before: Outcome, after: Outcome) -> list[Cell]:
    """Return the cells of `DIFFERENCE_COLUMNS`; without test data, only the gain."""
    gain = after.scores.mean - before.scores.mean
    found = difference(before, after)
    if found is None:
        return [gain, None, None, None]
    return format_difference(found, min(len(before.runs), len(after.runs)))


def format_difference(found: Difference, num_seeds: int) -> list[Cell]:
    """Return the cells of `DIFFERENCE_COLUMNS`; `significant` is empty with a single seed."""
    answer = "yes" if found.is_significant else "no"
    return [found.gain, found.interval, found.p, answer if num_seeds > 1 else None]
