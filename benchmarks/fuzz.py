"""Check that no damaged or hostile input ends in a traceback, hang, NaN, wrong result or lost file.

Damages the files that `elmo` reads most, runs commands with wrong arguments, and counts the
outcomes by kind. Input number n of a kind depends on the seed alone. Exits with 1 on any failure;
`--kinds K --seed S --number N` repeats one input.

    python benchmarks/fuzz.py --inputs 100000 --seed 0 --processes 2 --out results/robustness
"""

import argparse
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path

import torch
from allennlp.common.plugins import import_plugins
from fuzzing import KINDS
from fuzzing.attempt import ACCEPTED, FAILURES, REFUSED, SECONDS, UNDAMAGED, Outcome, numbered
from fuzzing.kind import Kind
from fuzzing.material import make_material
from fuzzing.runner import Tried, try_inputs

from elmo_plugin.commands.arguments import add_out_argument
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table

SHOWN = 3
"""Failures of each kind and status that are printed."""


def main() -> None:
    arguments = parse_arguments()
    check_out(arguments)
    torch.set_num_threads(1)
    import_plugins()
    with tempfile.TemporaryDirectory() as directory:
        # In a process of its own: PyTorch cannot be forked after it has trained.
        process = get_context("fork").Process(target=make_material, args=(Path(directory),))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit("the undamaged files cannot be made")
        kinds = [KINDS[name](Path(directory)) for name in arguments.kinds]
        if arguments.number is not None:
            sys.exit(repeat(kinds, arguments.seed, arguments.number))
        start = time.perf_counter()
        tried = list(shown(try_all(kinds, arguments), arguments.seed))
    seconds = time.perf_counter() - start
    tried.sort(key=lambda one: arguments.kinds.index(one.kind))  # processes finish in any order
    write_table(arguments, Result(table(tried, seconds, arguments)))
    failures = sum(one.outcome.status in FAILURES for one in tried)
    sys.exit(f"{failures} of {len(tried)} inputs failed" if failures else 0)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--inputs",
        type=int,
        default=1000,
        help="number of inputs of all kinds together (default: 1000)",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND")
    parser.add_argument(
        "--number", type=int, help="try only this input, and print everything about it"
    )
    add_out_argument(parser)
    return parser.parse_args()


def try_all(kinds: Sequence[Kind], arguments: argparse.Namespace) -> Iterator[Tried]:
    seed, processes = arguments.seed, arguments.processes
    for name, _, outcome in try_inputs(kinds, len(kinds), seed, processes, start=UNDAMAGED):
        if outcome.status != ACCEPTED:
            sys.exit(f"{name}, undamaged: {outcome.status}, {outcome.detail}\n{outcome.trace}")
    yield from try_inputs(kinds, arguments.inputs, seed, processes)


def repeat(kinds: Sequence[Kind], seed: int, number: int) -> int:
    outcomes = [(kind.name, numbered(kind, seed, number)) for kind in kinds]
    for name, outcome in outcomes:
        print(f"{name} {number}: {outcome.status}: {outcome.detail}\n{outcome.trace}")
    return int(any(outcome.status in FAILURES for _, outcome in outcomes))


def shown(tried: Iterable[Tried], seed: int) -> Iterator[Tried]:
    """Yield the same, and print the first failures of each kind, status and location."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for one in tried:
        status, detail = one.outcome.status, one.outcome.detail
        key = (one.kind, status, _location(one.outcome))
        seen[key] += 1
        if status in FAILURES and seen[key] <= SHOWN:
            print(
                f"{status}: {detail[:300]!r} at {key[2]}; "
                f"--kinds {one.kind!r} --seed {seed} --number {one.number}",
                file=sys.stderr,
            )
        yield one


def _location(outcome: Outcome) -> str:
    """Return the file and line that raised the error."""
    lines = [line.strip() for line in outcome.trace.splitlines() if line.startswith("  File ")]
    return lines[-1] if lines else ""


def table(tried: Sequence[Tried], seconds: float, arguments: argparse.Namespace) -> Table:
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    for one in tried:
        by_kind[one.kind].append(one.outcome)
    statuses = (ACCEPTED, REFUSED, *FAILURES)
    rows = [row(name, outcomes, statuses) for name, outcomes in by_kind.items()]
    rows.append(row("all", [one.outcome for one in tried], statuses))
    metadata = {
        "Accepted": "read like the undamaged input, or with different values that are valid too",
        "Refused": "one error that names the file",
        "Hang": f"over {SECONDS} s",
        "Seed": arguments.seed,
        "Time": f"{seconds / 60:.1f} minutes with {arguments.processes} processes",
    }
    columns = ("kind", "inputs", *statuses, "inputs per CPU second")
    return Table("Damaged and hostile input", columns, rows, metadata, digits=0)


def row(name: str, outcomes: Sequence[Outcome], statuses: Sequence[str]) -> list[Cell]:
    counts = Counter(outcome.status for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes) or 1e-9
    numbers = [counts[status] for status in statuses]
    return [name, len(outcomes), *numbers, len(outcomes) / seconds]


if __name__ == "__main__":
    main()
