"""Comparison of systems for one task, under one protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Optional

from elmo_plugin.experiments.runner.changes import with_fraction, with_schedule, with_seed
from elmo_plugin.experiments.runner.comparable import (
    check_comparable,
    check_data,
    check_same_data,
    check_same_protocol,
)
from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.descriptions import describe, describe_systems
from elmo_plugin.experiments.runner.outcomes import Outcome, find_outcome
from elmo_plugin.experiments.runner.protocol import Protocol, read_protocol
from elmo_plugin.experiments.runner.runs import Runs
from elmo_plugin.experiments.runner.search import best_points, search
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import System, shared_searches
from elmo_plugin.reporting.provenance import check_committed, check_trained_by_committed


@dataclass(frozen=True)
class Comparison:
    """
    Trains several systems on the same data, each with every seed, and scores them on test data.

    # Parameters

    task : `str`
    systems : `Mapping[str, System]`
        By name.
    settings : `Settings`
    """

    task: str
    systems: Mapping[str, System]
    settings: Settings
    # Evaluated configurations, by path, overrides and point of the grid.
    _read: dict[tuple[str, str, Optional[int]], Configuration] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def protocol(self) -> Protocol:
        """The task's protocol; raises `ConfigurationError` if it is invalid or systems differ."""
        overrides = self.settings.overrides_of(self.task)
        protocols = {
            name: read_protocol(system.path, overrides, self.task)
            for name, system in self.systems.items()
        }
        check_same_protocol(protocols)
        found = next(iter(protocols.values()))
        seeds, fraction = self.settings.seeds, self.settings.fraction
        return replace(
            found,
            seeds=found.seeds if seeds is None else tuple(seeds),
            fraction=found.fraction if fraction is None else fraction,
        )

    @property
    def data(self) -> str:
        """The name of the data, or the path of the training data if the protocol has none."""
        config = self.configuration(next(iter(self.systems)), self.protocol.seeds[0])
        return self.protocol.data or config["train_data_path"]

    def train(self, fraction: Optional[float] = None, wait: bool = True) -> dict[str, Outcome]:
        """
        Train every system: search its settings, then train with all seeds, then score on test data.

        # Parameters

        fraction : `float`, optional
            Fraction of the training data, except in the search; by default, the protocol's.
        wait : `bool`, optional (default = `True`)
            Wait for training runs of other processes; if not, leave them out.

        # Returns

        `Dict[str, Outcome]` : by system; empty if a training run was left out.

        # Raises

        `ValueError` : code with changes that are not committed, now or in a stored run.
        `ConfigurationError` : missing data; systems that differ in model, metric or data.
        """
        check_committed(self.settings.draft)
        configs = {name: self.configuration(name, self.protocol.seeds[0]) for name in self.systems}
        check_comparable(configs)
        check_data(next(iter(configs.values())))
        for waiting in (False, True) if wait else (False,):
            self._train(fraction, waiting)
            if outcomes := self.find(fraction):
                return outcomes
        return {}

    def _train(self, fraction: Optional[float], wait: bool) -> None:
        """Train all systems; without `wait`, skip training runs of other processes."""
        runs = Runs(self.settings.runs)
        shared = shared_searches(self.systems)
        labels = {name: self._label(shared.get(name, name)) for name in self.systems}
        points = search(runs, self._grids(), labels, wait)
        configs = {
            f"{self._label(name, fraction)}-{seed}": self.configuration(name, seed, point, fraction)
            for seed in self.protocol.seeds
            for name, point in points.items()
        }
        runs.finish_all(configs, score=True, wait=wait)

    def find(self, fraction: Optional[float] = None) -> dict[str, Outcome]:
        """
        Return what `train` returns, or an empty dictionary if training runs are not finished.
        Models that are trained but not yet scored on test data are scored first.

        # Raises

        `ValueError` : trained by code with changes that were not committed.
        """
        runs = Runs(self.settings.runs)
        grids = self._grids()
        points = best_points(runs, grids)
        if len(points) < len(self.systems):
            return {}
        configs = {
            name: [self.configuration(name, seed, point, fraction) for seed in self.protocol.seeds]
            for name, point in points.items()
        }
        if not all(runs.is_finished(one, score=True) for each in configs.values() for one in each):
            return {}
        chosen = {name: "" if p is None else self.protocol.grid[p] for name, p in points.items()}
        outcomes = {
            name: find_outcome(runs, configs[name], grids[name], chosen[name]) for name in points
        }
        check_same_data(outcomes)
        for name, one in outcomes.items():
            check_trained_by_committed(one.commits, self.settings.draft, f"{self.task}, {name}: ")
        return outcomes

    def configuration(
        self, name: str, seed: int, point: Optional[int] = None, fraction: Optional[float] = None
    ) -> Configuration:
        """Return the configuration that a system is trained with."""
        return self._configuration(self.systems[name], seed, point, fraction)

    def _configuration(
        self, system: System, seed: int, point: Optional[int], fraction: Optional[float] = None
    ) -> Configuration:
        key = system.path, system.overrides, point
        if key not in self._read:
            self._read[key] = system.read(self.settings.overrides_of(self.task), point)
        config = system.change(self._read[key], seed)
        if self.protocol.schedule is not None:
            config = with_schedule(config, *self.protocol.schedule)
        fraction = self.protocol.fraction if fraction is None else fraction
        return with_fraction(with_seed(config, seed), fraction, seed)

    def metadata(self, outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
        """Describe the data, scores and code of a table."""
        seed, shared = self.protocol.seeds[0], shared_searches(self.systems)
        configs = {name: self.configuration(name, seed) for name in self.systems}
        return {
            **describe_systems(self.systems, configs),
            **describe(outcomes, self.data, self.protocol, shared),
        }

    def _label(self, name: str, fraction: Optional[float] = None) -> str:
        """Return the prefix of a run's name, with the fraction if it is not the protocol's."""
        if fraction in (None, self.protocol.fraction):
            fraction = self.settings.fraction
        return f"{self.task}-{name}" + ("" if fraction is None else f"-{fraction:g}")

    def _grids(self) -> dict[str, list[Configuration]]:
        """Return by system the configurations that its search trains, one per point of the grid."""
        points, seed = range(len(self.protocol.grid)), self.protocol.seeds[0]
        return {
            name: [self._configuration(one.searched or one, seed, point) for point in points]
            for name, one in self.systems.items()
        }
