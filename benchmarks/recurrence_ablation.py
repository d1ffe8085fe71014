"""How much faster are the hand-written recurrences than the plain loop? Writes a table.

Times one LSTM layer, forward and backward, in both directions: `layers.lstm`, a plain loop under
autograd; `layers.fast.recurrence`, whose gradient is written by hand in operations of torch; and
`layers.fast.compiled`, one compiled loop per direction, each in a thread of its own. All compute
the same values and gradients, which is checked first. They take turns; the first round does not
count.

    python benchmarks/recurrence_ablation.py --out results/recurrence_ablation
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import torch

from elmo_plugin.commands.arguments import add_out_argument, positive_int
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.layers.fast.compiled.recurrence import compiled_recurrence
from elmo_plugin.layers.fast.recurrence import recurrence
from elmo_plugin.layers.lstm import LstmState, LstmWeights, lstm
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table

RUNS: dict[str, Callable[..., tuple[torch.Tensor, LstmState]]] = {
    "plain loop": lstm,
    "torch": recurrence,
    "compiled": compiled_recurrence,
}
FAST = [name for name in RUNS if name != "plain loop"]
COLUMNS = (
    *("cell / projection", "rows x steps"),
    *(f"{name}, ms" for name in RUNS),
    *(f"{name}, ratio" for name in FAST),
)
CLIPS = (3.0, 3.0)


class Size(NamedTuple):
    cell_dim: int
    projection_dim: int
    rows: int
    steps: int


SIZES = [Size(512, 128, 64, 20), Size(1024, 128, 64, 20), Size(4096, 512, 8, 20)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--sizes",
        type=size,
        nargs="+",
        default=SIZES,
        metavar="CELL,PROJECTION,ROWS,STEPS",
        help="sizes to time",
    )
    parser.add_argument("--rounds", type=positive_int, default=10, help="rounds that count")
    parser.add_argument("--threads", type=positive_int, default=2, help="threads of torch")
    add_out_argument(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    torch.set_num_threads(arguments.threads)
    rows = [row(each, arguments.rounds) for each in arguments.sizes]
    metadata = {
        "Times": f"median of {arguments.rounds} rounds (smallest to largest), forward and backward "
        "of one layer in both directions, float32",
        "Ratio": "time of the plain loop over the other, median of rounds (smallest to largest)",
    }
    table = Table("The recurrences against a plain loop under autograd", COLUMNS, rows, metadata)
    write_table(arguments, Result(table))


def size(text: str) -> Size:
    numbers = [positive_int(number) for number in text.split(",")]
    if len(numbers) != len(Size._fields):
        raise argparse.ArgumentTypeError(f"expected {len(Size._fields)} numbers, got {text!r}")
    return Size(*numbers)


def row(size: Size, rounds: int) -> list[Cell]:
    inputs, weights, state = random_layer(size)
    batch_sizes = [size.rows] * size.steps

    def step(run: Callable[..., tuple[torch.Tensor, LstmState]]) -> list[torch.Tensor]:
        outputs, _ = run(inputs, weights, state, batch_sizes, CLIPS)
        gradients = torch.autograd.grad(outputs.square().sum(), [inputs, *weights])
        return [outputs, *gradients]

    expected = step(lstm)
    for name in FAST:
        for found, value in zip(step(RUNS[name]), expected):
            error = 1e-4 * value.abs().max().item()
            torch.testing.assert_close(found, value, atol=error, rtol=0)
    times: dict[str, list[float]] = {name: [] for name in RUNS}
    for number in range(rounds + 1):
        for name, run in RUNS.items():
            start = time.perf_counter()
            step(run)
            if number:
                times[name].append(1000 * (time.perf_counter() - start))
    ratios = [[a / b for a, b in zip(times["plain loop"], times[name])] for name in FAST]
    return [
        f"{size.cell_dim} / {size.projection_dim}",
        f"{size.rows} x {size.steps}",
        *(spread(values, 1) for values in times.values()),
        *(spread(values, 2) for values in ratios),
    ]


def random_layer(size: Size) -> tuple[torch.Tensor, LstmWeights, LstmState]:
    torch.manual_seed(0)

    def draw(*shape: int) -> torch.Tensor:
        # Scaled, as a layer of large weights is chaotic: rounding errors grow with each step.
        return (0.5 * shape[0] ** -0.5 * torch.randn(2, *shape)).requires_grad_()

    gates = 4 * size.cell_dim
    weights = LstmWeights(
        draw(size.projection_dim, gates),
        draw(size.projection_dim, gates),
        draw(gates),
        draw(size.cell_dim, size.projection_dim),
    )
    zeros = (torch.zeros(2, size.rows, d) for d in (size.projection_dim, size.cell_dim))
    return draw(size.rows * size.steps, size.projection_dim), weights, LstmState(*zeros)


def spread(values: list[float], digits: int) -> str:
    numbers = (statistics.median(values), min(values), max(values))
    median, smallest, largest = (f"{number:.{digits}f}" for number in numbers)
    return f"{median} ({smallest} to {largest})"


if __name__ == "__main__":
    main()
