"""What commands that train task models have in common."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out
from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    read_configuration,
    validation_metric,
    with_seed,
    with_share,
)
from elmo_plugin.experiments.runner.runs import Run, Runs
from elmo_plugin.reporting.tables import SeedStats


def add_experiment_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seeds", type=arguments.seed, nargs="+", default=[1, 2, 3], help="default: 1 2 3"
    )
    parser.add_argument(
        "--change",
        default="{}",
        metavar="JSONNET",
        help="that every configuration is extended by, as in \"import 'my-paths.libsonnet'\"",
    )
    parser.add_argument(
        "--runs",
        type=arguments.output_directory,
        default="runs/experiments",
        metavar="DIR",
        help="of finished trainings, which are not repeated (default: %(default)s)",
    )
    arguments.add_out_argument(parser)


def add_share_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--share",
        type=arguments.fraction,
        default=1.0,
        help="of the training data, at random (default: all)",
    )


class Experiment:
    """
    Trainings of some configurations, each with every seed, on the same data.

    # Parameters

    args : `argparse.Namespace`
        Of `add_experiment_arguments`.
    config : `str`
        The path of one of the configurations, whose folder is the task's name.
    """

    def __init__(self, args: argparse.Namespace, config: str) -> None:
        check_out(args)
        if len(set(args.seeds)) < len(args.seeds):
            raise ConfigurationError(f"--seeds: expected different ones, got {args.seeds}")
        self.task = Path(config).resolve().parent.name
        self._seeds = args.seeds
        self._change = args.change
        self._runs = Runs(args.runs)

    def read(self, path: str) -> Configuration:
        return read_configuration(path, self._change)

    def run(self, configs: Mapping[str, Configuration], share: float = 1.0) -> dict[str, list[Run]]:
        """The runs of each configuration, one a seed."""
        check_comparable(configs)
        trainings = {
            (name, seed): with_share(with_seed(config, seed), share, seed)
            for seed in self._seeds
            for name, config in configs.items()
        }
        runs = self._runs.finish_all(
            {f"{self.task}-{name}-{seed}": config for (name, seed), config in trainings.items()}
        )
        found = dict(zip(trainings, runs.values()))
        return {name: [found[name, seed] for seed in self._seeds] for name in configs}


def check_comparable(configs: Mapping[str, Configuration]) -> None:
    """
    # Raises

    `ConfigurationError` : what differs in model, score or data.
    """
    (first, expected), *others = (
        (
            name,
            {
                "model.type": config["model"].get("type"),
                "trainer.validation_metric": validation_metric(config),
                "train_data_path": config["train_data_path"],
                "validation_data_path": config["validation_data_path"],
            },
        )
        for name, config in configs.items()
    )
    for name, found in others:
        for key, value in found.items():
            if value != expected[key]:
                raise ConfigurationError(
                    f"{key}: expected the same in {first} and {name}, found {expected[key]} and "
                    f"{value}"
                )


def spread(runs: list[Run]) -> SeedStats:
    return SeedStats(tuple(run.score for run in runs))
