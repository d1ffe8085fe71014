"""Does a frozen biLM in bfloat16 change a task's score? Trains the named-entity tagger with both.

    python benchmarks/bfloat16_score.py --overrides "import 'benchmarks/data.libsonnet'" \
        --task-overrides benchmarks/two_cores.libsonnet --out results/bfloat16_score

The configuration is `training_configs/ner/elmo.jsonnet` with the built-in biLM, whose matrices are
float32 or bfloat16; all else is equal, seed by seed, with the settings
that float32's search has chosen.
"""

from __future__ import annotations

import argparse
from functools import partial

from allennlp.common.plugins import import_plugins

from elmo_plugin.commands.comparison_arguments import add_comparison_arguments, settings
from elmo_plugin.commands.outputs import check_out
from elmo_plugin.experiments.runner.changes import with_elmo
from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.systems import System
from elmo_plugin.experiments.system_tables import system_columns, system_rows
from elmo_plugin.reporting.outputs import Result, write_result
from elmo_plugin.reporting.tables import Table

CONFIG = "training_configs/ner/elmo.jsonnet"
PRECISIONS = ("float32", "bfloat16")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_comparison_arguments(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    import_plugins()

    systems = {
        precision: System(
            CONFIG,
            change=partial(with_precision, precision=precision),
            searched=System(CONFIG),
        )
        for precision in PRECISIONS
    }
    comparison = Comparison("ner", systems, settings(arguments))
    outcomes = comparison.train()
    table = Table(
        "NER by precision of the biLM",
        system_columns("precision", outcomes),
        system_rows(outcomes),
        comparison.metadata(outcomes),
    )
    write_result(arguments.out, Result(table), arguments.json)


def with_precision(config: Configuration, seed: int, precision: str) -> Configuration:
    return with_elmo(config, precision=precision)


if __name__ == "__main__":
    main()
