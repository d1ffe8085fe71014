"""Does a frozen biLM in bfloat16 change a task's score? Trains the named-entity tagger with both.

    python benchmarks/bfloat16_score.py --overrides "import 'benchmarks/data.libsonnet'" \
        --out results/bfloat16_score

The configuration is `training_configs/ner/elmo.jsonnet` with the built-in biLM, whose matrices are
float32 or bfloat16; all else is equal, seed by seed.
"""

from __future__ import annotations

import argparse

from allennlp.common.plugins import import_plugins

from elmo_plugin.commands.comparison_arguments import add_comparison_arguments, comparison
from elmo_plugin.commands.outputs import check_out
from elmo_plugin.experiments.runner.comparison import seed_stats
from elmo_plugin.reporting.names import metric_title
from elmo_plugin.reporting.outputs import Result, write_result
from elmo_plugin.reporting.tables import SeedStats, Table

CONFIG = "training_configs/ner/elmo.jsonnet"
PRECISIONS = ("float32", "bfloat16")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_comparison_arguments(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    import_plugins()

    experiment = comparison(arguments)
    configs = {precision: experiment.read(CONFIG) for precision in PRECISIONS}
    for precision, config in configs.items():
        embedders = config["model"]["text_field_embedder"]["token_embedders"]
        embedders["elmo"]["precision"] = precision
    runs = experiment.train("ner", configs)
    scores = [seed_stats(runs[precision]) for precision in PRECISIONS]
    exact, half = (score.values for score in scores)
    difference = SeedStats(tuple(b - a for a, b in zip(exact, half)))
    run = runs[PRECISIONS[0]][0]
    table = Table(
        f"{metric_title(run.metric)} of a tagger by precision of its biLM",
        (*PRECISIONS, "difference, seed by seed"),
        [[*scores, difference]],
        {**experiment.metadata(run), "Scores by seed": [list(exact), list(half)]},
    )
    write_result(arguments.out, Result(table), arguments.json)


if __name__ == "__main__":
    main()
