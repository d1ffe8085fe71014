"""Tables of inference by size of the biLM and of the batch."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import sentences as texts
import torch
from operations import matrix_rate
from peers.bilms import Sentences
from sizes import SIZES
from speed_tables import append_table

from elmo_plugin.common.memory import keep_freed_memory
from elmo_plugin.layers import BilmConfig
from elmo_plugin.reporting.tables import Cell
from elmo_plugin.weights.bilm_file import Precision

BATCHES = {128: 4, 16: 8, 1: 24}
"""Number of batches, by sentences per batch."""
PRECISIONS: dict[Precision, torch.dtype] = {"float32": torch.float32, "bfloat16": torch.bfloat16}

DEFAULT_SIZES = ("4096/512/2048", "1024/128/2048", "512/128/384")

Rates = dict[Precision, float]
"""Operations per second, see `matrix_rate`."""
Compare = Callable[[BilmConfig, Sentences, argparse.Namespace, Rates], list[list[Cell]]]
"""Returns the rows for one size and batch size."""


def write_table(title: str, columns: Sequence[str], compare: Compare) -> None:
    """Measure what the command line asks for."""
    arguments = parse_arguments(title)
    torch.set_num_threads(arguments.threads)
    torch.backends.cudnn.allow_tf32 = False  # peers' LSTMs and convolutions in float32 too
    keep_freed_memory()  # for all but simple_elmo, which has a process of its own
    sentences = texts.read(arguments.text, arguments.sentences)
    rates = {name: matrix_rate(dtype, arguments.device) for name, dtype in PRECISIONS.items()}
    rows: list[list[Cell]] = []
    for name in arguments.sizes:
        for batch_size in arguments.batch_sizes:
            part = by_length(sentences, batch_size, BATCHES[batch_size])
            with torch.no_grad():
                rows += compare(SIZES[name], Sentences(part, batch_size), arguments, rates)
    chosen = ", ".join(f"{BATCHES[size]} of {size}" for size in arguments.batch_sizes)
    metadata = {
        "Weights": "random",
        "Batches": f"{chosen}, of {len(sentences):,} sentences in order of length; "
        f"{arguments.rounds} rounds",
        "Matrix rate": ", ".join(f"{rate / 1e9:.0f} GFLOP/s {d}" for d, rate in rates.items()),
    }
    append_table(title, columns, rows, metadata, arguments.out)


def by_length(sentences: list[list[str]], batch_size: int, number: int) -> list[list[str]]:
    """
    Order sentences by length, and return those of `number` batches at equal distances in this
    order. The sentences of a batch are about as long, so they need little padding.
    """
    ordered = sorted(sentences, key=len)
    last = max(0, len(ordered) - batch_size)
    starts = [int((i + 0.5) / number * last) for i in range(number)]
    return [sentence for start in starts for sentence in ordered[start : start + batch_size]]


def parse_arguments(title: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=f"{title}: tokens per second, ours and others'.")
    parser.add_argument("text", help="CoNLL-U, or one tokenized sentence per line")
    parser.add_argument("--sentences", type=int, help="number of sentences (default: all)")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=DEFAULT_SIZES)
    parser.add_argument(
        "--batch-sizes", type=int, nargs="+", choices=BATCHES, default=list(BATCHES)
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="or cuda")
    parser.add_argument("--out", type=Path, help="Markdown file to append the table to")
    return parser.parse_args()
