"""`elmo placement`: ELMo at the input of a task's encoder, at its output, at both (Table 3)."""

import argparse
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import write_outputs
from elmo_plugin.experiments.runner.experiment import (
    Experiment,
    add_experiment_arguments,
    add_share_argument,
    spread,
)
from elmo_plugin.reporting.provenance import provenance
from elmo_plugin.reporting.tables import Cell, Table

DESCRIPTION = """Train a task model by each of several configurations, which differ in
    where ELMo is, and print the scores and the gains over the first."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "configs",
        type=arguments.path,
        nargs="+",
        metavar="CONFIG",
        help="of one task, the one without ELMo first",
    )
    add_share_argument(parser)
    add_experiment_arguments(parser)


def run(args: argparse.Namespace) -> None:
    experiment = Experiment(args, args.configs[0])
    names = [Path(config).stem for config in args.configs]
    if len(set(names)) < len(names) or len(names) < 2:
        raise ConfigurationError(f"CONFIG: expected two or more of different names, got {names}")
    configs = {name: experiment.read(path) for name, path in zip(names, args.configs)}
    runs = experiment.run(configs, args.share)
    first = runs[names[0]][0]
    without = spread(runs[names[0]]).mean
    rows: list[list[Cell]] = [
        [name, spread(of_name), spread(of_name).mean - without, of_name[0].parameters]
        for name, of_name in runs.items()
    ]
    columns = ["configuration", first.metric, "gain", "trained parameters"]
    facts = {
        "Score": f"{first.metric}, best epoch on {first.scored_on:,} instances",
        "Trained on": f"{first.trained_on:,} instances, seeds {args.seeds}",
        **provenance(),
    }
    title = f"Placement: {experiment.task}"
    write_outputs(args.out, Table(title, columns, rows, facts, paper="Table 3"))
