"""Check that `elmo embed`, killed again and again, writes what an uninterrupted run does.

Starts `elmo embed` on a text, sends SIGKILL to it or to one of its workers after a random time,
starts it again, and so on until it ends; repeats this until each output format had enough kills.
Compares each result, byte by byte, with that of an uninterrupted run. Exits with 1 on any
difference, or on a file or process that is left.

    python benchmarks/embedding_kills.py fixtures/lm/train.txt --kills 50 --seed 0 \
        --out results/embedding_kills
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from marked_processes import end_remaining, marked_environment, working_processes

from elmo_plugin.commands.arguments import add_out_argument
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table

SUFFIXES = (".hdf5", ".parquet", ".npy")
OPTIONS = {".npy": ["--pooling", "mean"]}


@dataclass
class Counts:
    """Results of one output format."""

    kills: int = 0
    runs: int = 0
    differences: int = 0
    files_left: int = 0
    processes_left: int = 0


def main() -> None:
    arguments = parse_arguments()
    check_out(arguments)
    rng = random.Random(arguments.seed)
    counts = {suffix: Counts() for suffix in SUFFIXES}
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        seconds = {suffix: run_whole(arguments.text, folder, suffix) for suffix in SUFFIXES}
        for suffix, of_suffix in counts.items():
            while of_suffix.kills < arguments.kills:
                kill_until_done(arguments.text, folder, suffix, seconds[suffix], rng, of_suffix)
    write_table(arguments, Result(table(counts, arguments)))
    sys.exit(any(c.differences or c.files_left or c.processes_left for c in counts.values()))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", help="file, one tokenized sentence per line")
    parser.add_argument(
        "--kills", type=int, default=50, help="least number per format (default: 50)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the moments")
    add_out_argument(parser)
    return parser.parse_args()


def run_whole(text: str, folder: Path, suffix: str) -> float:
    """Run without interruption, and return the time that it takes."""
    start = time.monotonic()
    if begin(text, folder / f"whole{suffix}").wait() != 0:
        sys.exit(f"the uninterrupted run failed: {suffix}")
    return time.monotonic() - start


def begin(text: str, out: Path) -> subprocess.Popen[bytes]:
    command = ["embed", text, str(out), "--layers", "average", "--workers", "2"]
    return subprocess.Popen(
        [sys.executable, "-m", "elmo_plugin", *command, *OPTIONS.get(out.suffix, [])],
        env=marked_environment(out),
        stdout=subprocess.DEVNULL,
    )


def kill_until_done(
    text: str, folder: Path, suffix: str, seconds: float, rng: random.Random, counts: Counts
) -> None:
    out = folder / f"killed{suffix}"
    counts.runs += 1
    while True:
        process = begin(text, out)
        with suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0, seconds))
        if process.poll() == 0:
            break
        if process.returncode is not None:
            sys.exit(f"{suffix}: elmo embed failed by itself, with status {process.returncode}")
        pid = rng.choice(working_processes(out) or [process.pid])
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            counts.kills += 1
            print(f"{suffix}: kill {counts.kills}", file=sys.stderr)
        counts.processes_left += end_remaining(out)
        process.wait()
    counts.differences += out.read_bytes() != (folder / f"whole{suffix}").read_bytes()
    out.unlink()
    left = [path.name for path in folder.iterdir() if not path.name.startswith("whole")]
    counts.files_left += len(left)


def table(counts: dict[str, Counts], arguments: argparse.Namespace) -> Table:
    columns = ("output", "runs", "kills", "differences", "files left", "processes left")
    rows: list[list[Cell]] = [
        [suffix, c.runs, c.kills, c.differences, c.files_left, c.processes_left]
        for suffix, c in counts.items()
    ]
    metadata = {
        "Kills": "SIGKILL to the command or one of its two workers, at a random moment",
        "Differences": "from the bytes of an uninterrupted run",
        "Text": Path(arguments.text).name,
        "Seed": arguments.seed,
    }
    return Table("Killed and resumed runs of elmo embed", columns, rows, metadata, digits=0)


if __name__ == "__main__":
    main()
