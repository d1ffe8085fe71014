"""
Times inference of a biLM, ours and others', in tokens per second: same weights, sentences, batches,
threads and run.

    python benchmarks/inference.py en_ewt-ud-dev.conllu --out results/inference_speed.md

Peers, all in float32: AllenNLP's `_ElmoBiLm`; simple_elmo on TensorFlow, in a process of its own,
where `make .venv-tensorflow/installed` has been run; and our own layers by their definitions alone,
without any fast path ("plain loop").

Batches hold 128, 16 and 1 sentences of similar length, short to long. In each round, each
implementation runs all batches; the table has medians over all rounds but the first, and the ratio
of each round. Our word cache is emptied before every batch ("empty") or has all words ("full");
peers compute all words. The layers of the first batch are compared once, before: the largest
difference from any peer, and for bfloat16 the norm of the difference, relative to the norm.
AllenNLP's states are reset before each batch, those of simple_elmo before the comparison. Making
character ids and removing boundaries from AllenNLP's output are not timed. The share of the matrix
rate is that of the LSTMs' products in the time with a full word cache, see
`operations.matrix_rate`.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from functools import partial

import torch
from operations import lstm_operations, steps_per_token
from peers.bilms import Peers, Sentences
from rounds import take_turns, time_over
from sizes import size_name
from speed_tables import largest_difference, median_cell, peer_cells, peer_columns
from tables_by_size import PRECISIONS, Rates, write_table

from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.reporting.tables import Cell
from elmo_plugin.weights import load_bilm, save_bilm
from elmo_plugin.weights.bilm_file import Precision

PEERS = ("AllenNLP", "simple_elmo", "plain loop")
COLUMNS = (
    *("cell / projection / filters", "sentences", "precision", "word cache", "tokens/s"),
    *peer_columns(PEERS, "tokens/s"),
    *("share of the matrix rate", "difference"),
)
CACHES = ("empty", "full")


def main() -> None:
    write_table("Inference of a biLM", COLUMNS, compare)


def compare(
    config: BilmConfig, text: Sentences, arguments: argparse.Namespace, rates: Rates
) -> list[list[Cell]]:
    label = f"{size_name(config)}, {text.batch_size} sentences"
    speeds, differences = measure(config, text, arguments, label)
    rows: list[list[Cell]] = []
    for precision in PRECISIONS:
        for cache in CACHES:
            values = speeds[f"{precision} {cache}"]
            steps = statistics.median(values) * steps_per_token(text.tokens, len(text.sentences))
            share = steps * lstm_operations(config) / rates[precision]
            rows.append(
                [
                    *(size_name(config), text.batch_size, precision, cache, median_cell(values)),
                    *peer_cells(values, speeds, PEERS),
                    *(f"{share:.0%}" if cache == "full" else "", differences[precision]),
                ]
            )
    return rows


def measure(
    config: BilmConfig, text: Sentences, arguments: argparse.Namespace, label: str
) -> tuple[dict[str, list[float]], dict[Precision, str]]:
    """Return tokens per second of each pass by round, and the differences by precision."""
    torch.manual_seed(0)
    batches = [batch.to(arguments.device) for batch in text.batches()]
    with tempfile.TemporaryDirectory() as folder:
        files = f"{folder}/options.json", f"{folder}/weights.hdf5"
        save_bilm(Bilm(config), *files)
        ours = {
            p: load_bilm(*files, precision=p).requires_grad_(False).to(arguments.device)
            for p in PRECISIONS
        }
        with Peers(files, text, batches, arguments.threads) as peers:
            differences = {
                precision: largest_difference(bilm(batches[0]).layers, peers.layers, precision)
                for precision, bilm in ours.items()
            }
            passes = dict(peers.passes)
            for precision, bilm in ours.items():
                uncached = partial(run_uncached, bilm)
                passes[f"{precision} empty"] = partial(time_over, uncached, batches)
                passes[f"{precision} full"] = partial(time_cached, bilm, batches)
            seconds = take_turns(passes, arguments.rounds + 1, label)
    speeds = {
        name: [text.tokens / value for value in values[1:]] for name, values in seconds.items()
    }
    return speeds, differences


def run_uncached(bilm: Bilm, batch: torch.Tensor) -> None:
    bilm._word_cache.clear()
    bilm(batch)


def time_cached(bilm: Bilm, batches: list[torch.Tensor]) -> float:
    time_over(bilm, batches)  # fills the cache
    return time_over(bilm, batches)


if __name__ == "__main__":
    main()
