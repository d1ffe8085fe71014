"""Does ELMo help? Trains each task without and with it; writes results/six_tasks.*.

    python benchmarks/tasks.py ner sst5

All six without a name. The data lies as benchmarks/data.libsonnet says. A finished training is a
file in results/runs and is not repeated; one that was interrupted goes on after its last epoch.
The table has all tasks that are finished.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from allennlp.common.plugins import import_plugins

from elmo_plugin.commands.outputs import write_outputs
from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    objects,
    read_configuration,
    with_seed,
    with_share,
)
from elmo_plugin.experiments.runner.runs import Run, Runs
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

ROOT = Path(__file__).parent.parent
PLACES = {"elmo": "input", "elmo_output": "output", "elmo_both": "both"}


@dataclass(frozen=True)
class Task:
    """`paper` is Table 1, test scores without and with ELMo."""

    name: str
    metric: str
    elmo: str
    paper: tuple[float, float]
    share: float = 1.0  # of the training instances, drawn anew for each seed
    seeds: tuple[int, ...] = (1, 2, 3)


TASKS = {
    "squad": Task("SQuAD", "F1", "elmo_both", (81.1, 85.8), share=0.02),
    "snli": Task("SNLI", "accuracy", "elmo_both", (88.0, 88.7)),
    "srl": Task("SRL", "F1", "elmo", (81.4, 84.6), share=0.05),
    "coref": Task("Coref", "average F1", "elmo", (67.2, 70.4), share=0.3),
    "ner": Task("NER", "F1", "elmo", (90.15, 92.22), seeds=(1, 2, 3, 4, 5)),
    "sst5": Task("SST-5", "accuracy", "elmo", (51.4, 54.7), seeds=(1, 2, 3, 4, 5)),
}
COLUMNS = (
    "task",
    "score",
    "trained on",
    "scored on",
    "ELMo",
    "baseline",
    "with ELMo",
    "gain",
    "% of the errors",
    "seeds",
    "paper: baseline",
    "with ELMo (paper)",
    "% of the errors (paper)",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=", ".join(TASKS))
    parser.add_argument(
        "--change",
        default=f"import '{ROOT}/benchmarks/data.libsonnet'",
        help="Jsonnet that says where the data lies; default: benchmarks/data.libsonnet",
    )
    parser.add_argument(
        "--smaller",
        type=Path,
        default=ROOT / "benchmarks" / "two_cores.libsonnet",
        help="Jsonnet of changes by task, of baseline and ELMo alike; default: %(default)s",
    )
    parser.add_argument("--runs", type=Path, default=ROOT / "results" / "runs")
    parser.add_argument("--out", default=str(ROOT / "results" / "six_tasks"), metavar="PREFIX")
    arguments = parser.parse_args()
    unknown = set(arguments.tasks) - set(TASKS)
    if unknown:
        parser.error(f"TASK: expected some of {', '.join(TASKS)}, got {', '.join(unknown)}")
    import_plugins()
    # Of the two, the last has its way.
    change = f"({arguments.change}) + (import '{arguments.smaller.resolve()}').%s"
    runs = Runs(arguments.runs)
    for name in arguments.tasks or TASKS:
        for names in configurations(name, change).values():
            runs.finish_all(names)
        write_outputs(arguments.out, table(runs, change))


def configurations(name: str, change: str) -> dict[str, dict[str, Configuration]]:
    """By "baseline" or ELMo's place, each with every seed."""
    task = TASKS[name]
    return {config: dict(_seeds(name, config, change % name)) for config in ("baseline", task.elmo)}


def _seeds(name: str, config: str, change: str) -> Iterator[tuple[str, Configuration]]:
    task = TASKS[name]
    content = read_configuration(ROOT / "training_configs" / name / f"{config}.jsonnet", change)
    for seed in task.seeds:
        seeded = with_share(with_seed(content, seed), task.share, seed)
        yield f"{name}-{config}-{seed}", seeded


def table(runs: Runs, change: str) -> Table:
    pairs = {name: list(finished_pairs(runs, name, change)) for name in TASKS}
    rows = [row(TASKS[name], *zip(*of_task)) for name, of_task in pairs.items() if of_task]
    every = [run for of_task in pairs.values() for pair in of_task for run in pair]
    facts = {
        "Scores": "of the best epoch on development data, mean ± standard deviation over the "
        "seeds; x_k are the same vectors in both. The paper's are test scores, on other data where "
        "the task's is not public",
        "Command": "`python benchmarks/tasks.py`",
        "biLM": {
            TASKS[name].name: bilm(name, change) for name, of_task in pairs.items() if of_task
        },
        "Data": "benchmarks/data.libsonnet says which, and where they are published",
        "Sizes": "those of training_configs with benchmarks/two_cores.libsonnet, in both alike",
        "Machine": "; ".join(sorted({run.machine for run in every})),
        "Code": ", ".join(sorted({run.commit for run in every})),
    }
    return Table("The six tasks without and with ELMo", COLUMNS, rows, facts, paper="Table 1")


def finished_pairs(runs: Runs, name: str, change: str) -> Iterator[tuple[Run, Run]]:
    """Baseline and ELMo of each seed of which both are finished."""
    for configs in zip(*(seeds.values() for seeds in configurations(name, change).values())):
        baseline, elmo = map(runs.find, configs)
        if baseline is not None and elmo is not None:
            yield baseline, elmo


def bilm(name: str, change: str) -> str:
    """The file that the ELMo of a task reads."""
    config = next(iter(configurations(name, change)[TASKS[name].elmo].values()))
    files = (item["weight_file"] for item in objects(config) if "weight_file" in item)
    return next(files, "built-in")


def row(task: Task, baseline: Sequence[Run], elmo: Sequence[Run]) -> list[Cell]:
    without, with_elmo = (SeedStats(tuple(run.score for run in runs)) for runs in (baseline, elmo))
    gain = with_elmo.mean - without.mean
    before, after = task.paper
    return [
        task.name,
        task.metric,
        baseline[0].trained_on,
        baseline[0].scored_on,
        PLACES[task.elmo],
        without,
        with_elmo,
        gain,
        100 * gain / (100 - without.mean),
        len(baseline),
        before,
        after,
        100 * (after - before) / (100 - before),
    ]


if __name__ == "__main__":
    main()
