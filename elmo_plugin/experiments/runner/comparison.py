"""Comparison of task configurations over several seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    read_configuration,
    validation_metric,
    with_fraction,
    with_seed,
)
from elmo_plugin.experiments.runner.run_files import Run
from elmo_plugin.experiments.runner.runs import Runs
from elmo_plugin.reporting.tables import SeedStats


@dataclass(frozen=True)
class Comparison:
    """
    Trains several configurations of one task on the same data, each with every seed.

    # Parameters

    seeds : `Sequence[int]`, optional (default = `(1, 2, 3)`)
    overrides : `str`, optional (default = `"{}"`)
        Jsonnet that extends every configuration.
    runs : `str`, optional (default = `"runs/experiments"`)
        The directory of `Runs`.

    # Raises

    `ConfigurationError` : repeated seeds.
    """

    seeds: Sequence[int] = (1, 2, 3)
    overrides: str = "{}"
    runs: str = "runs/experiments"

    def __post_init__(self) -> None:
        if len(set(self.seeds)) < len(self.seeds):
            raise ConfigurationError(f"seeds: expected distinct ones, got {list(self.seeds)}")

    def read(self, path: str) -> Configuration:
        return read_configuration(path, self.overrides)

    def train(
        self, task: str, configs: Mapping[str, Configuration], fraction: float = 1.0
    ) -> dict[str, list[Run]]:
        """
        Train every configuration on a fraction of the training data.

        # Returns

        `Dict[str, List[Run]]` : by configuration, one run per seed.
        """
        check_comparable(configs)
        trainings = self._trainings(configs, fraction)
        runs = Runs(self.runs).finish_all(
            {f"{task}-{name}-{seed}": config for (name, seed), config in trainings.items()}
        )
        by_training = dict(zip(trainings, runs.values()))
        return {name: [by_training[name, seed] for seed in self.seeds] for name in configs}

    def find(
        self, configs: Mapping[str, Configuration], fraction: float = 1.0
    ) -> dict[str, list[Run]]:
        """Return what `train` returns, for the seeds with which all configurations are finished."""
        runs = Runs(self.runs)
        found = {
            key: runs.find(config) for key, config in self._trainings(configs, fraction).items()
        }
        by_seed = [[found[name, seed] for name in configs] for seed in self.seeds]
        finished = [[run for run in of_seed if run is not None] for of_seed in by_seed]
        complete = [of_seed for of_seed in finished if len(of_seed) == len(configs)]
        return {name: [of_seed[i] for of_seed in complete] for i, name in enumerate(configs)}

    def _trainings(
        self, configs: Mapping[str, Configuration], fraction: float
    ) -> dict[tuple[str, int], Configuration]:
        return {
            (name, seed): with_fraction(with_seed(config, seed), fraction, seed)
            for seed in self.seeds
            for name, config in configs.items()
        }

    def metadata(self, run: Run) -> dict[str, Any]:
        """Describe the scores and data of a table whose runs are like `run`."""
        return {
            "Score": f"{run.metric}, best epoch on {run.scored_on:,} instances",
            "Trained on": f"{run.trained_on:,} instances, seeds {list(self.seeds)}",
        }


def task_name(config: str) -> str:
    """Return the name of the folder that a task's configuration is in."""
    return Path(config).resolve().parent.name


def check_comparable(configs: Mapping[str, Configuration]) -> None:
    """
    # Raises

    `ConfigurationError` : different models, metrics or data; names the key and both values.
    """
    (first, expected), *others = ((name, _shared(config)) for name, config in configs.items())
    for name, found in others:
        for key, value in found.items():
            if value != expected[key]:
                raise ConfigurationError(
                    f"{key}: expected the same in {first} and {name}, found {expected[key]} and "
                    f"{value}"
                )


def _shared(config: Configuration) -> dict[str, Any]:
    """Return the settings that all configurations of a comparison must share."""
    return {
        "model.type": config["model"].get("type"),
        "trainer.validation_metric": validation_metric(config),
        "train_data_path": config["train_data_path"],
        "validation_data_path": config["validation_data_path"],
    }


def seed_stats(runs: Sequence[Run]) -> SeedStats:
    """Return the scores of the runs."""
    return SeedStats(tuple(run.score for run in runs))
