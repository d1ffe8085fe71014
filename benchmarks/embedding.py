"""
Times `elmo embed` on a corpus, in tokens per second, and measures its memory.

    python benchmarks/embedding.py 'data/lm/train-*.gz' --sentences 1000000 \
        --out results/embedding_speed_million.md

Peers, in the same run: the biLM alone, on character ids that are ready, in as many processes and in
batches of the same size; AllenNLP's biLM on the same weights, 64 sentences at a time in the order
of the text, as its `ElmoEmbedder` does; and simple_elmo's `get_elmo_vectors` in the same batches,
where `make .venv-tensorflow/installed` has been run. Peers embed the first sentences only, after a
warm-up, so that fewer of their words are in the word cache. All take turns. Memory is the largest
sum, over all processes, of the memory that each has for itself and its part of what they share
(PSS), measured every two seconds.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path

import torch
from marked_processes import marked_environment, marked_processes
from operations import lstm_operations, matrix_rate, steps_per_token
from peers.corpus import speed_alone, speed_of_allennlp, speed_of_simple_elmo
from peers.simple_elmo_process import is_installed
from rounds import take_turns
from speed_tables import append_table, median_cell, peer_cells, peer_columns

from elmo_plugin.common.processes import available_cores
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.reporting.tables import Cell

PEERS = ("the biLM alone", "AllenNLP", "simple_elmo")
COLUMNS = (
    *("output", "tokens/s", "memory, GB"),
    *peer_columns(PEERS, "tokens/s"),
    "share of the matrix rate",
)


def main() -> None:
    arguments = parse_arguments()
    rate = matrix_rate(torch.float32)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "text.txt")
        sentences, tokens = write_text(arguments.text, arguments.sentences, text)
        speeds, memory = measure(arguments, text, tokens)
    operations = lstm_operations(load_bilm_from(arguments.bilm).config)
    rows: list[list[Cell]] = []
    for suffix in arguments.outputs:
        values = speeds[suffix]
        steps = statistics.median(values) * steps_per_token(tokens, sentences)
        share = steps * operations / rate
        rows.append(
            [
                *(suffix, median_cell(values), f"{max(memory[suffix]):.2f}"),
                *peer_cells(values, speeds, PEERS),
                f"{share:.0%}",
            ]
        )
    metadata = {
        "Text": f"{sentences:,} sentences, {tokens:,} tokens; {arguments.rounds} rounds",
        "Text of the peers": f"the first {arguments.sample:,} sentences for the biLM alone, an "
        "eighth of these for the others",
        "biLM": arguments.bilm,
        "Vectors": "average of the layers, float16",
        "Processes": str(available_cores()),
        "Matrix rate": f"{rate / 1e9:.0f} GFLOP/s float32",
    }
    append_table(
        f"Embedding a corpus: {sentences:,} sentences", COLUMNS, rows, metadata, arguments.out
    )


def measure(
    arguments: argparse.Namespace, text: Path, tokens: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return tokens per second and gigabytes by round."""
    sample = list(islice(iter_sentences(str(text)), arguments.sample))
    few = sample[: -(-len(sample) // 8)]
    memory: dict[str, list[float]] = {suffix: [] for suffix in arguments.outputs}

    def speed_of(suffix: str) -> float:
        seconds, gigabytes = embed(arguments.bilm, text, text.with_name(f"out{suffix}"))
        memory[suffix].append(gigabytes)
        return tokens / seconds

    passes: dict[str, Callable[[], float]] = {
        **{suffix: partial(speed_of, suffix) for suffix in arguments.outputs},
        "the biLM alone": partial(speed_alone, arguments.bilm, sample),
        "AllenNLP": partial(speed_of_allennlp, arguments.bilm, few),
    }
    if is_installed():
        passes["simple_elmo"] = partial(speed_of_simple_elmo, arguments.bilm, few)
    return take_turns(passes, arguments.rounds, "embedding, tokens/s"), memory


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Tokens per second and memory of elmo embed.")
    parser.add_argument("text", help="file or glob, one tokenized sentence per line")
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--sample", type=int, default=8000, help="sentences that peers embed")
    parser.add_argument("--bilm", default="built-in", help="files of a biLM")
    parser.add_argument("--outputs", nargs="+", default=[".hdf5", ".parquet"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="Markdown file to append the table to")
    return parser.parse_args()


def write_text(source: str, most: int, text: Path) -> tuple[int, int]:
    """Write the first sentences of a text, and return their number and that of their tokens."""
    sentences = tokens = 0
    with text.open("w", encoding="utf-8") as file:
        for sentence in islice(iter_sentences(source), most):
            sentences += 1
            tokens += len(sentence)
            file.write(" ".join(sentence) + "\n")
    return sentences, tokens


def embed(bilm: str, text: Path, out: Path) -> tuple[float, float]:
    """Return the seconds and gigabytes of a run, start-up included, and remove its result."""
    command = ["embed", str(text), str(out), "--bilm", bilm, "--layers", "average", "--float16"]
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "elmo_plugin", *command],
        env=marked_environment(out),
        stdout=subprocess.DEVNULL,
    )
    most = 0
    while process.poll() is None:
        most = max(most, memory_of(out))
        with suppress(subprocess.TimeoutExpired):
            process.wait(2)  # reading the memory takes 30 ms
    seconds = time.perf_counter() - start
    if process.returncode:
        sys.exit(f"elmo embed failed: {out.name}")
    out.unlink()
    return seconds, most / 2**20


def memory_of(mark: Path) -> int:
    """Return the memory of all processes of a command, in KB."""
    total = 0
    for pid in marked_processes(mark):
        with suppress(OSError):  # it has ended
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


if __name__ == "__main__":
    main()
