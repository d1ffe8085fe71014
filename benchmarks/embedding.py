"""
Times `elmo embed` on a corpus, in tokens per second, and measures its memory.

    python benchmarks/embedding.py 'data/lm/train-0*.gz' --sentences 1000000 \
        --out results/embedding_speed.md

Peers, in the same run: the biLM alone, on character ids that are ready, in as many processes and in
the same batches; and AllenNLP's biLM on the same weights, 64 sentences at a time in the order of
the text, as its `ElmoEmbedder` does, on the first sentences. Memory is the largest sum, over all
processes, of the memory that each has for itself and its part of what they share (PSS).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import torch
from allennlp.modules.elmo import _ElmoBiLm
from speed_tables import append_table

from elmo_plugin.common.processes import available_cores
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.embedding.batches import batches_by_length, windows
from elmo_plugin.embedding.blocks import iter_blocks
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.reporting.tables import Cell
from elmo_plugin.weights.activations_file import Sentence
from elmo_plugin.weights.resolve import LanguageModelFiles, resolve

COLUMNS = (
    *("output", "tokens/s", "memory, GB", "the biLM alone, tokens/s", "ratio"),
    *("AllenNLP, tokens/s", "ratio to AllenNLP"),
)
BATCH_SIZE, PEERS_BATCH_SIZE = 128, 64
MARKER = "ELMO_EMBEDDING"


def main() -> None:
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as directory:
        text = Path(directory, "text.txt")
        tokens = write_text(arguments.text, arguments.sentences, text)
        sample = list(islice(iter_sentences(str(text)), arguments.sample))
        alone = speed_alone(arguments.bilm, sample)
        peer = speed_of_allennlp(arguments.bilm, sample[: arguments.sample // 8])
        rows: list[list[Cell]] = []
        for suffix in arguments.outputs:
            seconds, gigabytes = embed(arguments.bilm, text, Path(directory, f"out{suffix}"))
            speed = tokens / seconds
            rows.append(
                [
                    *(suffix, f"{speed:,.0f}", f"{gigabytes:.2f}", f"{alone:,.0f}"),
                    *(f"{speed / alone:.2f}", f"{peer:,.0f}", f"{speed / peer:.2f}"),
                ]
            )
    metadata = {
        "Text": f"{arguments.sentences:,} sentences, {tokens:,} tokens",
        "biLM": arguments.bilm,
        "Vectors": "average of the layers, float16",
        "Processes": str(available_cores()),
    }
    append_table("Embedding a corpus", COLUMNS, rows, metadata, arguments.out)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Tokens per second and memory of elmo embed.")
    parser.add_argument("text", help="file or glob, one tokenized sentence per line")
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--sample", type=int, default=8000, help="sentences that peers embed")
    parser.add_argument("--bilm", default="built-in", help="files of a biLM")
    parser.add_argument("--outputs", nargs="+", default=[".hdf5", ".parquet"])
    parser.add_argument("--scratch", help="directory for text and vectors")
    parser.add_argument("--out", type=Path, help="Markdown file to append the table to")
    return parser.parse_args()


def write_text(source: str, sentences: int, text: Path) -> int:
    """Write the first sentences of a text, and return the number of their tokens."""
    tokens = 0
    with text.open("w", encoding="utf-8") as file:
        for sentence in islice(iter_sentences(source), sentences):
            tokens += len(sentence)
            file.write(" ".join(sentence) + "\n")
    return tokens


def embed(bilm: str, text: Path, out: Path) -> tuple[float, float]:
    """Return the seconds and gigabytes of a run, start-up included, and remove its result."""
    command = ["embed", str(text), str(out), "--bilm", bilm, "--layers", "average", "--float16"]
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "elmo_plugin", *command],
        env={**os.environ, MARKER: str(out)},
        stdout=subprocess.DEVNULL,
    )
    most = 0
    while process.poll() is None:
        most = max(most, memory_of(f"{MARKER}={out}".encode()))
        time.sleep(0.2)
    seconds = time.perf_counter() - start
    if process.returncode:
        sys.exit(f"elmo embed failed: {out.name}")
    out.unlink()
    return seconds, most / 2**20


def memory_of(marker: bytes) -> int:
    """Return the memory of all processes with this environment, in KB."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker in (folder / "environ").read_bytes():
                lines = (folder / "smaps_rollup").read_text().splitlines()
                total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except OSError:  # it has ended
            continue
    return total


def speed_alone(bilm: str, sample: Iterable[list[str]]) -> float:
    """Return the tokens per second of all processes together."""
    sentences = list(map(Sentence, sample))
    cores = available_cores()
    context = multiprocessing.get_context("spawn")
    parts = [sentences[core::cores] for core in range(cores)]
    with context.Pool(cores) as pool:
        return sum(pool.starmap(run_sample, [(bilm, part) for part in parts]))


@torch.no_grad()
def run_sample(path: str, sentences: list[Sentence]) -> float:
    torch.set_num_threads(1)
    bilm = load_bilm_from(path)
    batches = [
        batch_to_ids([block.sentences[i].tokens for i in batch], bilm.config.max_characters)
        for block in iter_blocks([sentences])
        for batch in batches_by_length([len(s.tokens) for s in block.sentences], BATCH_SIZE)
    ]
    bilm(batches[0])  # compiles
    start = time.perf_counter()
    for ids in batches:
        bilm(ids)
    return sum(len(s.tokens) for s in sentences) / (time.perf_counter() - start)


@torch.no_grad()
def speed_of_allennlp(path: str, sample: list[list[str]]) -> float:
    files = resolve(path)
    assert isinstance(files, LanguageModelFiles)
    bilm = _ElmoBiLm(files.options, files.weights).eval()
    batches = [batch_to_ids(part) for part in windows(sample, PEERS_BATCH_SIZE)]
    bilm(batches[0])
    start = time.perf_counter()
    for ids in batches:
        bilm(ids)
    return sum(map(len, sample)) / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
