"""Arguments of the commands that train task models."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from elmo_plugin.commands import arguments

if TYPE_CHECKING:
    from elmo_plugin.experiments.runner.comparison import Comparison


def add_task_arguments(parser: argparse.ArgumentParser) -> None:
    """The configurations of a task without and with ELMo."""
    parser.add_argument("baseline", type=arguments.path, help="a task's configuration without ELMo")
    parser.add_argument("elmo", type=arguments.path, help="the task's configuration with ELMo")


def add_fraction_argument(parser: argparse.ArgumentParser) -> None:
    """`--fraction`, for the size of the training data."""
    parser.add_argument(
        "--fraction",
        type=arguments.fraction,
        default=1.0,
        help="random fraction of the training data",
    )


def add_comparison_arguments(parser: argparse.ArgumentParser) -> None:
    """`--seeds`, `--overrides`, `--runs`, `--out` and `--json`."""
    parser.add_argument(
        "--seeds", type=arguments.seed, nargs="+", default=[1, 2, 3], help="one training per seed"
    )
    add_runs_arguments(parser)
    arguments.add_out_argument(parser)
    arguments.add_json_argument(parser)


def add_runs_arguments(parser: argparse.ArgumentParser) -> None:
    """`--overrides` and `--runs`."""
    parser.add_argument(
        "--overrides",
        default="{}",
        metavar="JSONNET",
        help="extends every configuration, as in \"import 'my-paths.libsonnet'\"",
    )
    parser.add_argument(
        "--runs",
        type=arguments.output_directory,
        default="runs/experiments",
        metavar="DIR",
        help="directory of finished trainings, which are not repeated",
    )


def comparison(args: argparse.Namespace) -> Comparison:
    from elmo_plugin.experiments.runner.comparison import Comparison

    return Comparison(args.seeds, args.overrides, args.runs)
