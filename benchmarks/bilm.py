"""How well does a biLM predict text it has not seen? Writes results/bilm.md.

Reads what `elmo train training_configs/bilm/small.jsonnet` left in its directory, and compares with
a unigram model of the same text over the same words.

    python benchmarks/bilm.py DIRECTORY
"""

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from allennlp.data import Vocabulary

from elmo_plugin.commands.perplexity import unigram_perplexity
from elmo_plugin.data.text import read_sentences, text_files
from elmo_plugin.data.vocabulary import NAMESPACE, BilmVocabulary
from elmo_plugin.weights.whole_file import whole_file

ROOT = Path(__file__).parent.parent
COLUMNS = ("forward_perplexity", "backward_perplexity", "perplexity")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path, help="a training's serialization directory")
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    arguments = parser.parse_args()

    config = json.loads((arguments.directory / "config.json").read_text(encoding="utf-8"))
    vocabulary = BilmVocabulary.from_files(arguments.directory / "vocabulary")
    arguments.results.mkdir(exist_ok=True)
    with whole_file(arguments.results / "bilm.md") as file:
        text = report(config, epochs(arguments.directory), vocabulary)
        file.write_text(text, encoding="utf-8")


def epochs(directory: Path) -> list[dict[str, Any]]:
    files = sorted(directory.glob("metrics_epoch_*.json"), key=lambda f: int(f.stem.split("_")[-1]))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def sentences(path: str) -> Iterable[list[str]]:
    for file in text_files(path):
        yield from read_sentences(file)


def report(config: dict[str, Any], metrics: list[dict[str, Any]], vocabulary: Vocabulary) -> str:
    train, heldout = config["train_data_path"], config["validation_data_path"]
    words = vocabulary.get_token_to_index_vocabulary(NAMESPACE)
    unigram = unigram_perplexity(sentences(train), sentences(heldout), words)
    loader = config["data_loader"]
    batches = loader.get("batches_per_epoch")
    read = f"{batches * loader['batch_size'] * loader['unroll']:,} words" if batches else "the text"
    rows = [
        f"| {epoch + 1} | " + " | ".join(f"{m[f'validation_{c}']:.1f}" for c in COLUMNS) + " |"
        for epoch, m in enumerate(metrics)
    ]
    return "\n".join(
        [
            "# Held-out perplexity of a biLM",
            "",
            "Full softmax over the whole held-out text, sentence ends included, each sentence by",
            f"itself. An epoch is {read} in each direction.",
            "",
            "| epoch | forward | backward | average |",
            "|---|---|---|---|",
            *rows,
            f"| unigram model | | | {unigram:.1f} |",
            "",
            f"- Command: `python {shlex.join(sys.argv)}`, after "
            "`elmo train` of the configuration below",
            f"- Text: {train}; held-out {heldout}; {len(words):,} words in the vocabulary, "
            "the others are <UNK> in both models",
            f"- Model: `{json.dumps(config['model'])}`",
            f"- Training: `{json.dumps({**loader, **config['trainer']})}`; AllenNLP's own seeds",
            f"- Time: {metrics[-1]['training_duration']} on {platform.machine()}, "
            f"{os.cpu_count()} cores, {torch.get_num_threads()} threads; torch {torch.__version__}",
            f"- Commit: {commit()}",
            "",
        ]
    )


def commit() -> str:
    git = ("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    return subprocess.run(git, capture_output=True, text=True).stdout.strip() or "unknown"


if __name__ == "__main__":
    main()
