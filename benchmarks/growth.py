"""Measure time and peak memory against the length of a sentence, the batch and the vocabulary.

    python benchmarks/growth.py --out results/growth

Each row is a process of its own with the built-in biLM. Memory is the most that a call needs beside
what the process has before it; "output" is the layers that it returns, padded to the longest
sentence. In training, a step is one of the built-in biLM with a softmax of so many words, of
which it samples 4,096; the softmax itself, with Adagrad's state, is not counted.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from matplotlib.figure import Figure

from elmo_plugin.commands.arguments import add_out_argument, positive_int
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.pretrained import load_pretrained_bilm
from elmo_plugin.reporting.figures import lines
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table

COLUMNS = ("what grows", "number", "seconds", "memory, GB", "output, GB")
GB = 2**30
ROWS, STEPS, SAMPLES = 64, 20, 4096

Measured = tuple[float, float, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=positive_int, help="points of each curve (default: all)")
    add_out_argument(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    rows: list[list[Cell]] = [
        [name, number, *in_a_process(partial(measure, number))]
        for name, (measure, numbers) in CASES.items()
        for number in numbers[: arguments.points]
    ]
    table = Table("Time and memory against the size of the input", COLUMNS, rows)
    write_table(arguments, Result(table, partial(figure, rows)))


def figure(rows: list[list[Cell]]) -> Figure:
    curves = {name: (column_of(rows, name, 1), column_of(rows, name, 3)) for name in CASES}
    drawn = lines(curves, "number", "memory, GB", "Peak memory of one call", logarithmic=True)
    drawn.axes[0].set_yscale("log")
    ticks = [10**k for k in range(1, 6)]
    drawn.axes[0].set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    return drawn


def column_of(rows: list[list[Cell]], name: str, column: int) -> list[float]:
    return [float(str(row[column])) for row in rows if row[0] == name]


def in_a_process(measure: Callable[[], Measured]) -> Measured:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure)


def long_sentence(tokens: int) -> Measured:
    return inference([tokens])


def many_sentences(sentences: int) -> Measured:
    return inference([STEPS] * sentences)


def uneven_batch(tokens: int) -> Measured:
    return inference([tokens] + [STEPS] * 1023)


def inference(lengths: list[int]) -> Measured:
    bilm = load_pretrained_bilm().requires_grad_(False)
    bilm(batch_to_ids([["A", "sentence"]] * 2))  # compiles
    ids = batch_to_ids([[f"word{i % 1000}" for i in range(length)] for length in lengths])
    before = memory_now()
    start = time.perf_counter()
    layers = bilm(ids).layers
    return time.perf_counter() - start, peak() - before, layers.nbytes / GB


def training(words: int) -> Measured:
    torch.manual_seed(0)
    bilm = load_pretrained_bilm()
    softmax = Softmax(words, bilm.config.projection_dim)
    softmax.sparse = True
    model = LanguageModel(bilm, softmax, num_samples=SAMPLES).train()
    optimizer = torch.optim.Adagrad(model.parameters(), initial_accumulator_value=1.0)
    characters = batch_to_ids([[f"word{i}" for i in range(500)]])[0]
    before = memory_now()
    for _ in range(3):
        start = time.perf_counter()
        inputs = torch.randint(len(characters), (2, ROWS, STEPS))
        targets = torch.randint(words, (2, ROWS, STEPS))
        optimizer.zero_grad()
        model(characters, inputs, targets, bilm.zero_states(ROWS)).loss.backward()
        optimizer.step()
        seconds = time.perf_counter() - start
    return seconds, peak() - before, 0.0


def memory_now() -> float:
    """Return the memory of this process in GB, from which its peak is measured anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def peak() -> float:
    return _memory("VmHWM")


def _memory(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 2**20


CASES: dict[str, tuple[Callable[[int], Measured], list[int]]] = {
    "tokens of one sentence": (long_sentence, [10, 100, 1000, 5000]),
    "sentences of 20 tokens": (many_sentences, [16, 128, 1024, 4096]),
    "tokens of the longest of 1,024 sentences": (uneven_batch, [20, 100, 1000]),
    "words of the softmax, training": (training, [10_000, 100_000, 800_000]),
}


if __name__ == "__main__":
    main()
