"""Arguments of the commands that train task models."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from elmo_plugin.commands import arguments

if TYPE_CHECKING:
    from elmo_plugin.experiments.runner.settings import Settings


def add_task_arguments(parser: argparse.ArgumentParser) -> None:
    """A task, or its configurations without and with ELMo."""
    parser.add_argument(
        "configs",
        type=arguments.path,
        nargs="+",
        metavar="TASK_OR_CONFIG",
        help="squad, snli, srl, coref, ner or sst5; or a configuration of a task without ELMo and "
        "one with it",
    )


def add_fraction_argument(parser: argparse.ArgumentParser) -> None:
    """`--fraction`, for the size of the training data."""
    parser.add_argument(
        "--fraction",
        type=arguments.fraction,
        help="random fraction of the training data (default: that of the task overrides, or 1)",
    )


def add_comparison_arguments(parser: argparse.ArgumentParser) -> None:
    """`--seeds` and `add_settings_arguments`."""
    parser.add_argument(
        "--seeds",
        type=arguments.seed,
        nargs="+",
        help="one training run per seed (default: those of the task overrides, or 1 2 3)",
    )
    add_settings_arguments(parser)


def add_overrides_argument(parser: argparse.ArgumentParser) -> None:
    """`--overrides`, Jsonnet that extends configurations, for example by the paths of data."""
    parser.add_argument(
        "--overrides",
        default="{}",
        metavar="JSONNET",
        help="extends every configuration, as in \"import 'my-paths.libsonnet'\"",
    )


def add_settings_arguments(parser: argparse.ArgumentParser) -> None:
    """`--overrides`, `--task-overrides`, `--runs`, `--out`, `--draft` and `--json`."""
    add_overrides_argument(parser)
    parser.add_argument(
        "--task-overrides",
        type=arguments.path,
        metavar="FILE",
        help="Jsonnet file with an object per task that extends its configurations; its hidden "
        "fields `seeds`, `fraction`, `schedule` and `grid` are the protocol of the task",
    )
    parser.add_argument(
        "--runs",
        type=arguments.output_directory,
        default="runs/experiments",
        metavar="DIR",
        help="directory of finished training runs, which are not repeated",
    )
    arguments.add_out_argument(parser)
    arguments.add_json_argument(parser)


def settings(args: argparse.Namespace) -> Settings:
    from elmo_plugin.experiments.runner.settings import Settings

    seeds, fraction = getattr(args, "seeds", None), getattr(args, "fraction", None)
    return Settings(args.overrides, args.task_overrides, args.runs, seeds, fraction, args.draft)
