"""Check that a training run, killed and resumed again and again, equals an uninterrupted one.

Trains a small biLM on fixtures/lm with `elmo train`, kills it, resumes it with `--recover`, and so
on: at the start, between two batches, while it writes a checkpoint, while it writes its archive;
the command or one of its processes; with SIGKILL, SIGTERM or SIGINT; with one process and with two.
Then compares weights, curve, metrics, vocabulary and file names with those of an uninterrupted
run, and looks for remaining processes and temporary files. Exits with 1 on any difference.

    python benchmarks/soak.py --kills 50 --seed 0 --out results/soak
"""

import argparse
import json
import random
import signal
import sys
import tempfile
from pathlib import Path

from marked_processes import EXIT_SECONDS
from soaking.comparison import differences
from soaking.kills import PHASES, SIGNALS, Counts, kill_often
from soaking.training import CONFIG, Training

from elmo_plugin.commands.arguments import add_out_argument
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Table


def main() -> None:
    arguments = parse_arguments()
    check_out(arguments)
    rng = random.Random(arguments.seed)
    counts = {processes: Counts() for processes in (1, 2)}
    with tempfile.TemporaryDirectory() as directory:
        for processes, of_these in counts.items():
            kills = (arguments.kills + 2 - processes) // 2
            soak(Path(directory, str(processes)), processes, kills, rng, of_these)
    write_table(arguments, Result(table(counts, arguments)))
    problems = [problem for of_these in counts.values() for problem in of_these.problems]
    sys.exit("\n".join(problems) if problems else 0)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--kills",
        type=int,
        default=50,
        help="number of kills, half of them with two processes (default: 50)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the moments and signals")
    add_out_argument(parser)
    return parser.parse_args()


def soak(directory: Path, processes: int, kills: int, rng: random.Random, counts: Counts) -> None:
    """Kill training runs, this many times in all, and compare each with an uninterrupted one."""
    directory.mkdir()
    config = CONFIG
    if processes > 1:
        config = {**CONFIG, "distributed": {"cuda_devices": [-1] * processes}}
    (directory / "config.json").write_text(json.dumps(config))
    uninterrupted = Training(directory, "whole")
    uninterrupted.start()
    if uninterrupted.process.wait() != 0:
        raise RuntimeError(f"the uninterrupted training failed: {uninterrupted.log()}")
    while (done := counts.phases.total()) < kills:
        killed = Training(directory, f"killed-{counts.trainings}")
        counts.trainings += 1
        if not kill_often(killed, kills - done, rng, counts):
            return
        counts.problems += [
            f"{killed.folder.name}: {one}" for one in differences(killed, uninterrupted)
        ]


def table(counts: dict[int, Counts], arguments: argparse.Namespace) -> Table:
    phases, names = sorted(set(PHASES)), [signal.Signals(number).name for number in set(SIGNALS)]
    columns = (
        "processes",
        "training runs",
        "kills",
        *phases,
        *names,
        "problems",
        "processes left",
    )
    rows = [
        [
            *(processes, of_these.trainings, of_these.phases.total()),
            *(of_these.phases[phase] for phase in phases),
            *(of_these.signals[name] for name in names),
            *(len(of_these.problems), of_these.processes_left),
        ]
        for processes, of_these in counts.items()
    ]
    metadata = {
        "Kills": "at the start, between two batches, while a checkpoint is written, while the "
        "archive is written; three in ten SIGKILLs go to a worker process",
        "Problems": "differences from an uninterrupted run, in weights, curve, metrics, "
        "vocabulary, or files in the directory; processes left; runs that cannot be resumed",
        "Processes left": f"{EXIT_SECONDS} seconds after a kill",
        "Seed": arguments.seed,
    }
    return Table("Killed and resumed training runs", columns, rows, metadata, digits=0)


if __name__ == "__main__":
    main()
