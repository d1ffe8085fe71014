"""
Times updates of task models where glibc keeps the memory of large tensors (GLIBC_TUNABLES), against
its default, which returns it to the system after each operation.

    python benchmarks/memory_allocation.py coref srl \
        --overrides "import 'benchmarks/data.libsonnet'" \
        --task-overrides benchmarks/two_cores.libsonnet --out results/memory_allocation.md

Each measurement is a process with one thread, which reads the same batches twice: first to fill
caches, then to time each update. The two settings take turns. A ratio above 1 means that keeping
memory is faster. It fails if the losses differ in any bit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.common.util import prepare_environment
from speed_tables import append_table, ratio_cell

from elmo_plugin.commands.arguments import positive_int
from elmo_plugin.commands.comparison_arguments import add_overrides_argument
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.table1_tasks import comparison
from elmo_plugin.experiments.tasks import TASKS
from elmo_plugin.reporting.provenance import code_version
from elmo_plugin.reporting.tables import Cell

KEPT = "glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=16000000000"
VARIABLE = "GLIBC_TUNABLES"
SETTINGS = {"default": {}, "kept": {VARIABLE: KEPT}}
COLUMNS = (
    *("task", "model", "default, s/update", "kept, s/update", "ratio to default"),
    *("default, peak memory in GB", "kept, peak memory in GB"),
)


class Measured(NamedTuple):
    seconds: float
    """Median of the updates."""
    gigabytes: float
    """Peak memory of the process."""
    loss: float
    """Of the last update."""


def main() -> None:
    arguments = parse_arguments()
    if arguments.measured:
        task, model = arguments.measured
        print(json.dumps(measure(task, model, arguments)))
        return
    code_version()
    rows = [row for task in arguments.tasks for row in rows_of_task(task, arguments)]
    metadata = {
        "Time": f"median of {arguments.updates} updates in each of {arguments.rounds} processes "
        "of one thread",
        "Kept": f"{VARIABLE}={KEPT}",
    }
    append_table("Updates by allocation of memory", COLUMNS, rows, metadata, arguments.out)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("tasks", nargs="+", choices=sorted(TASKS), metavar="TASK")
    add_overrides_argument(parser)
    parser.add_argument("--task-overrides", metavar="FILE")
    parser.add_argument("--updates", type=positive_int, default=10)
    parser.add_argument("--rounds", type=positive_int, default=3)
    parser.add_argument("--out", type=Path, help="Markdown file to append the table to")
    # Task and model of a process that measures.
    parser.add_argument("--measured", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def rows_of_task(task: str, arguments: argparse.Namespace) -> list[list[Cell]]:
    return [row(task, model, arguments) for model in ("baseline", TASKS[task])]


def row(task: str, model: str, arguments: argparse.Namespace) -> list[Cell]:
    command = [sys.executable, __file__, *sys.argv[1:], "--measured", task, model]
    found: dict[str, list[Measured]] = {name: [] for name in SETTINGS}
    for _ in range(arguments.rounds):
        for name, setting in SETTINGS.items():
            inherited = {k: v for k, v in os.environ.items() if k != VARIABLE}
            environment = {**inherited, "OMP_NUM_THREADS": "1", **setting}
            printed = subprocess.check_output(command, env=environment, text=True)
            found[name].append(Measured(*json.loads(printed)))
            print(f"{task}, {model}, {name}: {found[name][-1]}", file=sys.stderr)
    losses = {one.loss for measured in found.values() for one in measured}
    if len(losses) > 1:
        raise ValueError(f"{task}, {model}: expected one loss, found {sorted(losses)}")
    seconds = {name: [one.seconds for one in measured] for name, measured in found.items()}
    peaks = {name: max(one.gigabytes for one in measured) for name, measured in found.items()}
    medians = (f"{statistics.median(seconds[name]):.2f}" for name in SETTINGS)
    ratio = ratio_cell(seconds["default"], seconds["kept"])
    return [task, model, *medians, ratio, *(f"{peaks[name]:.1f}" for name in SETTINGS)]


def measure(task: str, model: str, arguments: argparse.Namespace) -> Measured:
    """Time updates of one model."""
    import_plugins()
    settings = Settings(arguments.overrides, arguments.task_overrides)
    params = Params(comparison(task, settings).configuration(model, seed=1))
    prepare_environment(params)
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(sys.stderr):
        training = TrainModel.from_params(params, serialization_dir=folder, local_rank=0)
        trainer: Any = training.trainer
        batches = list(islice(trainer.data_loader, arguments.updates))
        for _ in range(2):  # The first pass fills caches.
            seconds, losses = zip(*[update(trainer, batch) for batch in batches])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return Measured(statistics.median(seconds), peak, losses[-1])


def update(trainer: Any, batch: Any) -> tuple[float, float]:
    """Update the weights; return the seconds that this took, and the loss."""
    start = time.perf_counter()
    trainer.optimizer.zero_grad()
    loss = trainer.model(**batch)["loss"]
    loss.backward()
    trainer.optimizer.step()
    return time.perf_counter() - start, loss.item()


if __name__ == "__main__":
    main()
