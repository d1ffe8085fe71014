"""
Times inference of a biLM, ours and AllenNLP's `_ElmoBiLm`, in tokens per second: same weights,
sentences, threads and run.

    python benchmarks/inference.py en_ewt-ud-dev.conllu --out results/inference_speed.md

Batches hold 128, 16 and 1 sentences in the order of the file. In each round, each implementation
runs all batches; the table has medians over rounds. Our word cache is emptied before every batch
("empty") or has all words ("full"). AllenNLP's state is reset before each batch, so that both
compute the same; the vectors are compared once, before: the largest difference, and for bfloat16
the norm of the difference, relative to the vectors' norm. Making character ids and removing
boundaries from AllenNLP's output are not timed. The share of the matrix rate is that of the LSTMs'
products in the time with a full word cache, against the fastest product of 2048 by 2048 matrices
at hand: `torch.mm` or oneDNN's with a packed matrix.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import torch
from allennlp.modules.elmo import _ElmoBiLm
from allennlp.nn.util import remove_sentence_boundaries
from speed_tables import append_table, ratio_cells

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.layers.fast.matmul import can_multiply, matmul, packed
from elmo_plugin.reporting.tables import Cell
from elmo_plugin.weights import load_bilm, save_bilm

BATCH_SIZES = {128: 1.0, 16: 1 / 3, 1: 1 / 12}
"""Sentences per batch, and the fraction of the text that is read."""
COLUMNS = (
    *("cell / projection / filters", "sentences", "precision", "word cache"),
    *("ours, tokens/s", "AllenNLP, tokens/s", "ratio", "ratio by round"),
    *("share of the matrix rate", "difference"),
)
SIZES = {
    "full": BilmConfig(),
    "medium": BilmConfig(cell_dim=1024, projection_dim=128),
}
MATRIX = 2048

Pass = Callable[[torch.Tensor], object]


def main() -> None:
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    sentences = list(read_conllu(arguments.conllu))[: arguments.sentences]
    rates = {dtype: matrix_rate(dtype) for dtype in (torch.float32, torch.bfloat16)}
    rows: list[list[Cell]] = []
    for name in arguments.sizes:
        for batch_size, fraction in BATCH_SIZES.items():
            part = sentences[: max(batch_size, int(len(sentences) * fraction))]
            rows += compare(SIZES[name], part, batch_size, arguments.rounds, rates)
    tokens = sum(map(len, sentences))
    metadata = {
        "Text": f"{len(sentences)} sentences, {tokens} tokens; for batches of 16 and of 1, a third "
        f"and a twelfth of them; {arguments.rounds} rounds",
        "Matrix rate": ", ".join(f"{rate / 1e9:.0f} GFLOP/s {d}" for d, rate in rates.items()),
    }
    append_table("Inference of a biLM", COLUMNS, rows, metadata, arguments.out)


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


def matrix_rate(dtype: torch.dtype) -> float:
    """Return the operations per second of the fastest product of two square matrices."""
    first, second = (torch.randn(MATRIX, MATRIX).to(dtype) for _ in range(2))
    matrices = [second, *packed(second.unsqueeze(0))] if can_multiply(second) else [second]
    return max(
        2
        * MATRIX**3
        / statistics.median(time_over(partial(matmul, first), [matrix]) for _ in range(20))
        for matrix in matrices
    )


@torch.no_grad()
def compare(
    config: BilmConfig,
    sentences: list[list[str]],
    batch_size: int,
    rounds: int,
    rates: dict[torch.dtype, float],
) -> list[list[Cell]]:
    """Rows of the table for one size and batch size."""
    starts = range(0, len(sentences), batch_size)
    batches = [batch_to_ids(sentences[start : start + batch_size]) for start in starts]
    tokens = sum(map(len, sentences))
    exact, half, theirs = implementations(config)
    passes: dict[tuple[Bilm | None, str], Pass] = {
        (None, ""): lambda batch: after(theirs._elmo_lstm.reset_states, theirs, batch)
    }
    for ours in (exact, half):
        passes[ours, "empty"] = clearing(ours)
        passes[ours, "full"] = ours
        for batch in batches:  # fills the cache
            ours(batch)
    seconds: dict[tuple[Bilm | None, str], list[float]] = {key: [] for key in passes}
    for _ in range(rounds):
        for key, run in passes.items():
            seconds[key].append(time_over(run, batches))
            print(f"{config.cell_dim}, {batch_size}: {seconds[key][-1]:.2f} s", file=sys.stderr)
            if key[1] == "empty" and key[0] is not None:
                for batch in batches:
                    key[0](batch)
    peer = [tokens / value for value in seconds.pop((None, ""))]
    size = f"{config.cell_dim} / {config.projection_dim} / {config.num_filters}"
    rows: list[list[Cell]] = []
    for (model, cache), values in seconds.items():
        assert model is not None
        dtype = torch.float32 if model is exact else torch.bfloat16
        speeds = [tokens / value for value in values]
        speed = statistics.median(speeds)
        share = f"{speed * operations(config) / rates[dtype]:.0%}" if cache == "full" else ""
        precision = str(dtype).removeprefix("torch.")
        rows.append(
            [
                *(size, batch_size, precision, cache, f"{speed:,.0f}"),
                f"{statistics.median(peer):,.0f}",
                *ratio_cells(speeds, peer),
                *(share, difference(model, theirs, batches[0], relative=model is half)),
            ]
        )
    return rows


def operations(config: BilmConfig) -> int:
    """Return the operations of the LSTMs' products for one token."""
    cell = 4 * config.cell_dim * 2 * config.projection_dim + config.cell_dim * config.projection_dim
    return 2 * 2 * config.num_layers * cell


def clearing(ours: Bilm) -> Pass:
    return lambda batch: after(ours._word_cache.clear, ours, batch)


def after(reset: Callable[[], None], model: torch.nn.Module, batch: torch.Tensor) -> None:
    reset()
    model(batch)


def implementations(config: BilmConfig) -> tuple[Bilm, Bilm, _ElmoBiLm]:
    """Return ours in float32, ours in bfloat16, and AllenNLP's, with the same weights."""
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as directory:
        files = f"{directory}/options.json", f"{directory}/weights.hdf5"
        save_bilm(Bilm(config), *files)
        exact = load_bilm(*files).requires_grad_(False)
        half = load_bilm(*files, precision="bfloat16").requires_grad_(False)
        return exact, half, _ElmoBiLm(*files).eval()


def difference(ours: Bilm, theirs: _ElmoBiLm, batch: torch.Tensor, relative: bool) -> str:
    theirs._elmo_lstm.reset_states()
    expected = theirs(batch)
    layers = [
        remove_sentence_boundaries(activations, expected["mask"])[0]
        for activations in expected["activations"]
    ]
    reference = torch.stack(layers)
    error = ours(batch).layers - reference
    if relative:
        return f"{float(error.norm() / reference.norm()):.1e} of the norm"
    return f"{error.abs().max().item():.1e}"


def time_over(run: Pass, batches: list[torch.Tensor]) -> float:
    start = time.perf_counter()
    for batch in batches:
        run(batch)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
