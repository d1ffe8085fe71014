"""`elmo layers`: does a task need all layers, and how free a choice of them? (Table 2)"""

import argparse

import numpy

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import write_outputs
from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    last_layer_only,
    with_penalty,
)
from elmo_plugin.experiments.runner.experiment import (
    Experiment,
    add_experiment_arguments,
    add_share_argument,
    spread,
)
from elmo_plugin.experiments.runner.runs import Run
from elmo_plugin.reporting.figures import heat_map
from elmo_plugin.reporting.provenance import provenance
from elmo_plugin.reporting.tables import Cell, Table

PENALTIES = (1.0, 0.001)  # the paper's


DESCRIPTION = """Train a task model without ELMo, with the biLM's last layer only, and with
    all layers under a strong and under a weak penalty on their weights; print the scores,
    and draw the weights."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("baseline", type=arguments.path, help="a task's configuration without ELMo")
    parser.add_argument("elmo", type=arguments.path, help="and with it")
    add_share_argument(parser)
    add_experiment_arguments(parser)


def run(args: argparse.Namespace) -> None:
    experiment = Experiment(args, args.elmo)
    baseline, elmo = experiment.read(args.baseline), experiment.read(args.elmo)
    runs = experiment.run(variants(baseline, elmo), args.share)
    without = spread(runs["baseline"]).mean
    rows: list[list[Cell]] = [
        [name, spread(of_name), spread(of_name).mean - without] for name, of_name in runs.items()
    ]
    first = runs["baseline"][0]
    title = f"Layer weighting: {experiment.task}"
    facts = {
        "Score": f"{first.metric}, best epoch on {first.scored_on:,} instances",
        "Trained on": f"{first.trained_on:,} instances, seeds {args.seeds}",
        **provenance(),
    }
    table = Table(title, ["layers", first.metric, "gain"], rows, facts, paper="Table 2")
    write_outputs(args.out, table, _figure(runs, title) if args.out else None)


def variants(baseline: Configuration, elmo: Configuration) -> dict[str, Configuration]:
    """The four rows of Table 2."""
    return {
        "baseline": baseline,
        "last only": last_layer_only(elmo),
        **{f"all, lambda = {penalty:g}": with_penalty(elmo, penalty) for penalty in PENALTIES},
    }


def _figure(runs: dict[str, list[Run]], title: str) -> object:
    """Each mix's weights, averaged over the seeds."""
    weights: dict[str, numpy.ndarray] = {}
    for name in list(runs)[-len(PENALTIES) :]:
        places = runs[name][0].places
        for place, *mixes in zip(places, *(run.mixes for run in runs[name])):
            where = f", {place}" if len(places) > 1 else ""
            weights[name + where] = numpy.mean([mix.weights for mix in mixes], axis=0)
    values = numpy.array(list(weights.values()))
    return heat_map(values, list(weights), [f"s_{j}" for j in range(values.shape[1])], title)
