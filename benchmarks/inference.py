"""
How many tokens a second a biLM reads: ours and AllenNLP's `_ElmoBiLm`, on the same weights, the
same sentences, the same threads, in the same run, in exact float32.

    python benchmarks/inference.py en_ewt-ud-dev.conllu --out results/inference_speed.md

Batches hold 128 sentences in the order of the file. Each round times everyone over all batches, in
turns; the medians over rounds count. A round of ours starts with an empty word cache ("cold"),
has it emptied before every batch ("none"), or has seen all words before ("warm"). AllenNLP forgets
its state before each batch, so that both compute the same; the vectors are compared once, before.
Character ids are made beforehand and boundaries stay on in AllenNLP's output, which is not timed.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from allennlp.modules.elmo import _ElmoBiLm
from allennlp.nn.util import remove_sentence_boundaries

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.weights import load_bilm, save_bilm

BATCH_SIZE = 128

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
    lines = [*describe_run(arguments.threads), ""]
    lines += [f"{len(sentences)} sentences, {tokens} tokens, {arguments.rounds} rounds.", ""]
    lines += [
        "| cell/projection/filters | word cache | ours, tokens/s | AllenNLP, tokens/s | ratio "
        "| ratio by round | largest difference |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in arguments.sizes:
        lines += compare(SIZES[name], batches, tokens, arguments.rounds)
    report = "\n".join(lines) + "\n"
    print(report)
    if arguments.out:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        with arguments.out.open("a") as out:
            out.write(report + "\n")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Tokens a second, ours and AllenNLP's.")
    parser.add_argument("conllu", type=Path, help="sentences to read, in CoNLL-U")
    parser.add_argument("--sentences", type=int, help="how many of them (default: all)")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="Markdown file to append the table to")
    return parser.parse_args()


def read_conllu(path: Path) -> Iterator[list[str]]:
    """The words of each sentence; of a contraction, its syntactic words."""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        yield [row[1] for row in rows if row[0].isdigit()]


@torch.no_grad()
def compare(config: BilmConfig, batches: list[torch.Tensor], tokens: int, rounds: int) -> list[str]:
    """The table's rows for one size."""
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
    return [table_row(config, name, ours, peer, difference) for name, ours in speeds.items()]


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


def table_row(
    config: BilmConfig, cache: str, ours: list[float], peer: list[float], difference: float
) -> str:
    median, peer_median = statistics.median(ours), statistics.median(peer)
    ratios = ", ".join(f"{a / b:.2f}" for a, b in zip(ours, peer))
    size = f"{config.cell_dim}/{config.projection_dim}/{config.num_filters}"
    return (
        f"| {size} | {cache} | {median:.0f} | {peer_median:.0f} | {median / peer_median:.2f} "
        f"| {ratios} | {difference:.1e} |"
    )


def describe_run(threads: int) -> list[str]:
    script, conllu, *options = sys.argv
    command = " ".join(["python", f"benchmarks/{Path(script).name}", Path(conllu).name, *options])
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    return [
        f"## {time.strftime('%Y-%m-%d')}, commit {commit()}",
        "",
        f"`{command}`",
        "",
        f"{processor()}, {os.cpu_count()} cores, {threads} threads, {load} at the start; "
        f"Python {platform.python_version()}, torch {torch.__version__}.",
    ]


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    main()
