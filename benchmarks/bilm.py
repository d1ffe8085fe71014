"""Tabulates and draws the held-out perplexity of a biLM by epochs of its training.

Reads the directory of a training of `elmo train` with the callback `bilm_curve`, or of several,
each of which started from the one before, and compares with a unigram model of the same text over
the same words.

    python benchmarks/bilm.py DIRECTORY [DIRECTORY ...] --out PREFIX
"""

import argparse
import json
import math
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from allennlp.data import Vocabulary

from elmo_plugin.commands.arguments import add_out_argument
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE, BilmVocabulary
from elmo_plugin.experiments.intrinsic.perplexity import UnigramModel
from elmo_plugin.reporting.figures import lines
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Table

SCORES = (
    "validation_forward_perplexity",
    "validation_backward_perplexity",
    "validation_perplexity",
)
COLUMNS = ("training", "epoch", "words", "sampled loss", "forward", "backward", "average")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIRECTORY")
    add_out_argument(parser)
    arguments = parser.parse_args()
    check_out(arguments)

    configs = [json.loads((d / "config.json").read_text()) for d in arguments.directories]
    rows = list(epochs(arguments.directories))
    vocabulary = BilmVocabulary.from_files(arguments.directories[-1] / "vocabulary")
    unigram = unigram_of(configs[-1], vocabulary)
    metadata = {
        "Perplexity": "exp of the mean negative log-likelihood, full softmax, of all words and "
        "sentence ends of the held-out text, each sentence by itself; words in thousands",
        f"Unigram model over these {len(vocabulary_words(vocabulary)):,} words": f"{unigram:.1f}",
        **{f"Training {i}": description(config) for i, config in enumerate(configs, start=1)},
    }
    table = Table("Held-out perplexity of a biLM", COLUMNS, rows, metadata, digits=1)
    write_table(arguments, Result(table, partial(figure, rows, unigram)))


def epochs(directories: list[Path]) -> Iterable[list[Any]]:
    before = 0
    for training, directory in enumerate(directories, start=1):
        words = [before + of_epoch for of_epoch in words_of(directory)]
        for epoch, metrics in enumerate(metrics_of(directory), start=1):
            scores = [metrics[score] for score in SCORES]
            read = int(words[epoch - 1]) // 1000
            yield [training, epoch, read, metrics["training_sampled_loss"], *scores]
        before = words[-1]


def words_of(directory: Path) -> list[int]:
    """Return the number of words that were read by the end of each epoch."""
    curve = map(json.loads, (directory / "curve.jsonl").read_text(encoding="utf-8").splitlines())
    return [line["words"] for line in curve if "validation_perplexity" in line]


def metrics_of(directory: Path) -> list[dict[str, Any]]:
    files = sorted(directory.glob("metrics_epoch_*.json"), key=lambda f: int(f.stem.split("_")[-1]))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def description(config: dict[str, Any]) -> str:
    shown = {
        k: config[k] for k in ("train_data_path", "vocabulary", "model", "data_loader", "trainer")
    }
    return f"`{json.dumps(shown)}`"


def vocabulary_words(vocabulary: Vocabulary) -> dict[str, int]:
    return vocabulary.get_token_to_index_vocabulary(NAMESPACE)


def unigram_of(config: dict[str, Any], vocabulary: Vocabulary) -> float:
    train, heldout = (
        iter_sentences(config[f"{part}_data_path"]) for part in ("train", "validation")
    )
    return UnigramModel(train, vocabulary_words(vocabulary)).perplexity(heldout)


def figure(rows: list[list[Any]], unigram: float) -> Any:
    words = [row[2] / 1000 for row in rows]
    return lines(
        {
            "held-out perplexity, full softmax": (words, [row[-1] for row in rows]),
            "exp of the sampled training loss (no perplexity)": (
                words,
                [math.exp(row[3]) for row in rows],
            ),
        },
        "million words of training",
        "perplexity",
        f"A biLM's training (unigram model: {unigram:.0f})",
    )


if __name__ == "__main__":
    main()
