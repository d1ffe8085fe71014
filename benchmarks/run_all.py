"""
Runs the speed tables that compare with peers, and memory by size, one after another, and prints a
summary: each speed as a ratio to a named peer in the same run, and as a share of the machine's
matrix rate.

    make benchmark [DATA=data]

DATA, relative to the repository, has lm/train-0*.gz, pos/en_ewt-ud-dev.conllu and ner/train.txt.
Without it, the text is generated, and the tagger's is that of fixtures/. Each table replaces its
file in results/; those of --quick are in runs/benchmark/quick. The summary is of the tables that
are there. Needs an idle machine and committed code.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from sentences import write_generated
from speed_summary import COLUMNS, summary_rows

from elmo_plugin.reporting.outputs import Result, write_result
from elmo_plugin.reporting.provenance import code_version
from elmo_plugin.reporting.tables import Table

ROOT = Path(__file__).parent.parent
MAX_LOAD = 0.5
MINUTES_TO_WAIT = 5
TABLES = (
    *("inference_speed.md", "lstm_speed.md", "training_speed.md", "stored_activations.md"),
    *("embedding_speed.md", "growth"),
)


class Text(NamedTuple):
    """Files to read."""

    corpus: str
    sentences: str
    tagged: str


def main() -> None:
    arguments = parse_arguments()
    os.chdir(ROOT)  # so that the commands that tables name are relative to it
    if not (arguments.anyway or arguments.quick):
        check_machine()
    text = find_text(arguments.data) or generated_text(arguments.quick)
    commands = quick_commands(text) if arguments.quick else full_commands(text, arguments.anyway)
    results = Path(arguments.results)
    results.mkdir(parents=True, exist_ok=True)
    chosen = [(name, c) for name, c in commands if name in (arguments.only or TABLES)]
    for name, commands_of_table in groupby(chosen, key=itemgetter(0)):
        (results / name).unlink(missing_ok=True)
        for _, command in commands_of_table:
            run(command, f"{results}/{name}")
    rows = summary_rows([results / name for name in TABLES])
    metadata = {
        "Ratio": "median of the rounds, above 1 where this package is faster",
        "Tables": "each names its own machine and commit",
    }
    table = Table("Speed against other implementations", COLUMNS, rows, metadata)
    write_result(f"{results}/speed", Result(table))


def run(command: list[str], out: str) -> None:
    script, *options = command
    print(f"benchmarks/{script}: {out}", file=sys.stderr)
    subprocess.run([sys.executable, f"benchmarks/{script}", *options, "--out", out], check=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Runs all speed tables.")
    parser.add_argument("--data", help="folder with text; generated where it is not given")
    parser.add_argument("--results", help="folder of the tables (default: results)")
    parser.add_argument("--only", nargs="+", choices=TABLES, help="write these, and the summary")
    parser.add_argument("--anyway", action="store_true", help="on a busy machine or changed code")
    parser.add_argument(
        "--quick", action="store_true", help="try the command on tiny sizes: measures nothing"
    )
    arguments = parser.parse_args()
    arguments.results = arguments.results or (
        "runs/benchmark/quick" if arguments.quick else "results"
    )
    return arguments


def check_machine() -> None:
    wait_until_idle()
    version = code_version()
    if version.endswith("-dirty"):
        sys.exit(f"expected committed code, found {version}; --anyway measures anyway")


def wait_until_idle() -> None:
    """Wait until the load is low: an installation just before may have raised it."""
    for _ in range(MINUTES_TO_WAIT * 6):
        if os.getloadavg()[0] <= MAX_LOAD:
            return
        time.sleep(10)
    load = os.getloadavg()[0]
    sys.exit(f"expected an idle machine, found a load of {load:.1f}; --anyway measures anyway")


def find_text(folder: str | None) -> Text | None:
    if folder is None:
        return None
    names = ("lm/train-0*.gz", "pos/en_ewt-ud-dev.conllu", "ner/train.txt")
    missing = [name for name in names if not any(Path(folder).glob(name))]
    if missing:
        sys.exit(f"{folder}: expected {', '.join(names)}, found no {', '.join(missing)}")
    return Text(*(f"{folder}/{name}" for name in names))


def generated_text(quick: bool) -> Text:
    text = Path("runs/benchmark/quick.txt" if quick else "runs/benchmark/generated.txt")
    text.parent.mkdir(parents=True, exist_ok=True)
    write_generated(text, 2000 if quick else 100_000)
    return Text(str(text), str(text), "fixtures/ner/train.conll")


def full_commands(text: Text, anyway: bool) -> list[tuple[str, list[str]]]:
    """Names of the results, and what writes them."""
    draft = ["--draft"] if anyway else []
    training = ["training.py", text.corpus, "--rounds", "5", "--sizes"]
    large_batches = ["--windows", "2", "--batch-size", "128"]
    tagger = ["stored_activations.py", "--data", text.tagged, "--threads", "2", "--epochs", "2"]
    return [
        ("inference_speed.md", ["inference.py", text.sentences]),
        ("lstm_speed.md", ["lstm_layers.py", text.sentences]),
        ("training_speed.md", [*training, "512/128/384", "1024/256/512"]),
        ("training_speed.md", [*training, "1024/128/2048", *large_batches]),
        ("stored_activations.md", [*tagger, "--rounds", "3"]),
        ("embedding_speed.md", ["embedding.py", text.corpus, "--sentences", "100000"]),
        ("growth", ["growth.py", *draft]),
    ]


def quick_commands(text: Text) -> list[tuple[str, list[str]]]:
    tiny = ["--sizes", "12/8/16", "--rounds", "2", "--threads", "1"]
    sentences = [text.sentences, "--sentences", "40", "--batch-sizes", "16", *tiny]
    training = ["training.py", text.corpus, "--samples", "64", "--words", "1000", *tiny]
    tagger = ["stored_activations.py", "--data", text.tagged, "--sentences", "20", *tiny]
    embedding = ["embedding.py", text.corpus, "--sentences", "300", "--sample", "80"]
    return [
        ("inference_speed.md", ["inference.py", *sentences]),
        ("lstm_speed.md", ["lstm_layers.py", *sentences]),
        ("training_speed.md", [*training, "--windows", "1", "--batch-size", "4"]),
        ("stored_activations.md", [*tagger, "--epochs", "2"]),
        ("embedding_speed.md", [*embedding, "--rounds", "1", "--outputs", ".hdf5"]),
        ("growth", ["growth.py", "--points", "1", "--draft"]),
    ]


if __name__ == "__main__":
    main()
