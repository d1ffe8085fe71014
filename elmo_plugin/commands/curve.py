"""`elmo curve`: how much data and training ELMo saves (Figure 1)."""

import argparse
from typing import Optional

from allennlp.common.checks import ConfigurationError

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import write_outputs
from elmo_plugin.experiments.runner.configurations import Configuration, with_updates
from elmo_plugin.experiments.runner.experiment import Experiment, add_experiment_arguments, spread
from elmo_plugin.experiments.runner.runs import Run, training_batches
from elmo_plugin.experiments.runner.sample_efficiency import share_needed, updates_needed
from elmo_plugin.reporting.figures import lines
from elmo_plugin.reporting.provenance import provenance
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

NAMES = ("baseline", "ELMo")
SHARES = (0.01, 0.03, 0.1, 0.3, 1.0)


DESCRIPTION = """Train a task model without and with ELMo on growing shares of the training
    data, with epochs of as many updates at each; print and draw the scores, and say how
    much data, and how many updates, the one with ELMo needs for the score that the other
    has from all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("baseline", type=arguments.path, help="a task's configuration without ELMo")
    parser.add_argument("elmo", type=arguments.path, help="and with it")
    parser.add_argument(
        "--shares",
        type=arguments.fraction,
        nargs="+",
        default=SHARES,
        help=f"growing; default: {' '.join(map(str, SHARES))}",
    )
    add_experiment_arguments(parser)


def run(args: argparse.Namespace) -> None:
    if sorted(set(args.shares)) != list(args.shares):
        raise ConfigurationError(f"--shares: expected growing shares, got {args.shares}")
    experiment = Experiment(args, args.elmo)
    configs = {name: experiment.read(path) for name, path in zip(NAMES, (args.baseline, args.elmo))}
    updates = len(training_batches(configs[NAMES[0]]))
    runs = [
        experiment.run(configs if share == 1 else _as_long(configs, updates), share)
        for share in args.shares
    ]
    scores = {name: [spread(at_share[name]) for at_share in runs] for name in NAMES}
    rows: list[list[Cell]] = [
        [share, at_share[NAMES[0]][0].trained_on, *(spread(at_share[name]) for name in NAMES)]
        for share, at_share in zip(args.shares, runs)
    ]
    first = runs[0][NAMES[0]][0]
    title = f"Sample efficiency: {experiment.task}"
    facts = {
        "Data": _data_saved(args.shares, scores),
        "Updates": _updates_saved(runs[-1]),
        "Score": f"{first.metric}, best epoch on {first.scored_on:,} instances",
        "Seeds": args.seeds,
        **provenance(),
    }
    table = Table(title, ["share", "trained on", *NAMES], rows, facts, paper="Figure 1")
    figure = None
    if args.out:
        sizes = [at_share[NAMES[0]][0].trained_on for at_share in runs]
        figure = lines(
            {name: (sizes, [score.mean for score in scores[name]]) for name in NAMES},
            "instances trained on",
            first.metric,
            title,
            errors={name: [score.sd or 0.0 for score in scores[name]] for name in NAMES},
            logarithmic=True,
        )
    write_outputs(args.out, table, figure)


def _as_long(configs: dict[str, Configuration], updates: int) -> dict[str, Configuration]:
    """With epochs as long as those on all data, so that patience lasts as many updates."""
    return {name: with_updates(config, updates) for name, config in configs.items()}


def _data_saved(shares: list[float], scores: dict[str, list[SeedStats]]) -> str:
    baseline, elmo = ([score.mean for score in scores[name]] for name in NAMES)
    target = baseline[-1]
    needed = share_needed(shares, elmo, target)
    if needed is None:
        return f"with ELMo, none of the shares reaches the baseline's {target:.2f}"
    least = "at most " if needed == shares[0] else ""
    return (
        f"with ELMo, {least}{100 * needed:.1f} % of the data give the {target:.2f} that the "
        f"baseline has from {100 * shares[-1]:g} %"
    )


def _updates_saved(runs: dict[str, list[Run]]) -> str:
    """Of each seed by itself: to the best score of its baseline."""
    pairs = list(zip(*(runs[name] for name in NAMES)))
    baseline = [run.best_epoch * run.updates for run, _ in pairs]
    elmo = [
        updates_needed(with_elmo.scores, with_elmo.updates, run.score) for run, with_elmo in pairs
    ]
    return (
        f"to the baseline's best score from {pairs[0][0].trained_on:,} instances, the baseline "
        f"takes {_numbers(baseline)} updates and ELMo {_numbers(elmo)}, by seed"
    )


def _numbers(updates: list[Optional[int]]) -> str:
    return ", ".join("more than it had" if n is None else f"{n:,}" for n in updates)
