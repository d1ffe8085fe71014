"""
Times inference of a biLM, ours and AllenNLP's `_ElmoBiLm`, in tokens per second: same weights,
sentences, threads and run, in float32.

    python benchmarks/inference.py en_ewt-ud-dev.conllu --out results/inference_speed.md

Batches hold 128 sentences in the order of the file. In each round, each implementation runs all
batches; the table has medians over rounds. Our word cache is emptied before every batch ("none"),
empty at the start of a round ("cold"), or has all words ("warm"). AllenNLP's state is reset before
each batch, so that both compute the same; the vectors are compared once, before. Making character
ids and removing boundaries from AllenNLP's output are not timed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from allennlp.modules.elmo import _ElmoBiLm
from allennlp.nn.util import remove_sentence_boundaries
from speed_tables import append_table, ratio_cells

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.reporting.tables import Cell
from elmo_plugin.weights import load_bilm, save_bilm

BATCH_SIZE = 128
COLUMNS = (
    *("cell / projection / filters", "word cache", "ours, tokens/s", "AllenNLP, tokens/s"),
    *("ratio", "ratio by round", "largest difference"),
)

SIZES = {
    "full": BilmConfig(),
    "medium": BilmConfig(cell_dim=1024, projection_dim=128),
}

Pass = Callable[[torch.Tensor], object]


def main() -> None:
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    sentences = list(read_conllu(arguments.conllu))[: arguments.sentences]
    batches = [
        batch_to_ids(sentences[i : i + BATCH_SIZE]) for i in range(0, len(sentences), BATCH_SIZE)
    ]
    tokens = sum(map(len, sentences))
    rows = [
        row
        for name in arguments.sizes
        for row in compare(SIZES[name], batches, tokens, arguments.rounds)
    ]
    text = f"{len(sentences)} sentences, {tokens} tokens; {arguments.rounds} rounds"
    append_table("Inference of a biLM", COLUMNS, rows, {"Text": text}, arguments.out)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Tokens per second, ours and AllenNLP's.")
    parser.add_argument("conllu", type=Path, help="sentences to read, in CoNLL-U")
    parser.add_argument("--sentences", type=int, help="number of sentences (default: all)")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="Markdown file to append the table to")
    return parser.parse_args()


def read_conllu(path: Path) -> Iterator[list[str]]:
    """Words of each sentence; contractions as their syntactic words."""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        yield [row[1] for row in rows if row[0].isdigit()]


@torch.no_grad()
def compare(
    config: BilmConfig, batches: list[torch.Tensor], tokens: int, rounds: int
) -> list[list[Cell]]:
    """Rows of the table for one size."""
    ours, theirs = random_pair(config)
    difference = max(largest_difference(ours, theirs, batch) for batch in batches)
    passes: dict[str, Pass] = {
        "none": lambda batch: after(ours._word_cache.clear, ours, batch),
        "cold": ours,
        "warm": ours,
        "AllenNLP": lambda batch: after(theirs._elmo_lstm.reset_states, theirs, batch),
    }
    speeds: dict[str, list[float]] = {name: [] for name in passes}
    for _ in range(rounds):
        for name, run in passes.items():
            if name == "cold":
                ours._word_cache.clear()
            seconds = time_over(run, batches)
            speeds[name].append(tokens / seconds)
            print(f"{config.cell_dim}, {name}: {tokens / seconds:.0f} tokens/s", file=sys.stderr)
    peer = speeds.pop("AllenNLP")
    size = f"{config.cell_dim} / {config.projection_dim} / {config.num_filters}"
    peer_speed = f"{statistics.median(peer):,.0f}"
    return [
        [
            *(size, name, f"{statistics.median(values):,.0f}", peer_speed),
            *ratio_cells(values, peer),
            f"{difference:.1e}",
        ]
        for name, values in speeds.items()
    ]


def after(reset: Callable[[], None], model: torch.nn.Module, batch: torch.Tensor) -> None:
    reset()
    model(batch)


def random_pair(config: BilmConfig) -> tuple[Bilm, _ElmoBiLm]:
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as directory:
        options, weights = f"{directory}/options.json", f"{directory}/weights.hdf5"
        save_bilm(Bilm(config), options, weights)
        ours = load_bilm(options, weights).requires_grad_(False)
        return ours, _ElmoBiLm(options, weights).eval()


def largest_difference(ours: Bilm, theirs: _ElmoBiLm, batch: torch.Tensor) -> float:
    theirs._elmo_lstm.reset_states()
    expected = theirs(batch)
    differences = [
        (layer - remove_sentence_boundaries(activations, expected["mask"])[0]).abs().max().item()
        for layer, activations in zip(ours(batch).layers, expected["activations"])
    ]
    return max(differences)


def time_over(run: Pass, batches: list[torch.Tensor]) -> float:
    start = time.perf_counter()
    for batch in batches:
        run(batch)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
