"""Perplexities of a biLM on held-out texts, beside those of a unigram model of its training text.

    python benchmarks/perplexity.py data/lm/heldout.txt.gz data/lm/wiki/heldout.txt.gz \\
        --unigram 'data/lm/train-*.txt.gz' 'data/lm/wiki/train-*.txt.gz' --out results/perplexity
"""

import argparse
from collections.abc import Mapping
from functools import partial
from itertools import chain

from elmo_plugin.commands.arguments import add_bilm_argument, add_out_argument
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.common.progress import progress
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.experiments.intrinsic.perplexity import (
    UnigramModel,
    bilm_perplexity,
    unknown_fraction,
)
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.models.loading import load_language_model
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table

COLUMNS = (
    *("text", "initial state", "perplexity", "forward", "backward", "unigram model"),
    *("unknown words (%)", "words and sentence ends"),
)
BATCH_SIZE = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="+", help="one tokenized sentence per line")
    parser.add_argument("--unigram", nargs="+", required=True, help="training text, as globs")
    add_bilm_argument(parser)
    add_out_argument(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    model, words = load_language_model(arguments.bilm)
    train = chain.from_iterable(map(iter_sentences, arguments.unigram))
    word_ids = {word: row for row, word in enumerate(words)}
    unigram = UnigramModel(train, word_ids)
    rows = [row for text in arguments.texts for row in _rows(text, model, word_ids, unigram)]
    metadata = {
        "biLM": arguments.bilm,
        "Unigram model": f"of {', '.join(arguments.unigram)}, with add-one smoothing",
        "Initial state": "zero: each sentence by itself; carried: from the sentence before in one "
        f"of {BATCH_SIZE} streams",
        "Unknown words": "count as one word",
    }
    write_table(arguments, Result(Table(f"Perplexity: {arguments.bilm}", COLUMNS, rows, metadata)))


def _rows(
    text: str, model: LanguageModel, word_ids: Mapping[str, int], unigram: UnigramModel
) -> list[list[Cell]]:
    """Return a row for each initial state."""
    sentences = list(iter_sentences(text))
    of_text = (
        unigram.perplexity(sentences),
        100 * unknown_fraction(sentences, word_ids),
        sum(len(sentence) + 1 for sentence in sentences),
    )
    shown = partial(progress, description=text, unit="batches")
    rows: list[list[Cell]] = []
    for state in ("zero", "carried"):
        found = bilm_perplexity(
            model, [*word_ids], sentences, BATCH_SIZE, progress=shown, initial_state=state
        )
        scores = [found[f"{name}perplexity"] for name in ("", "forward_", "backward_")]
        rows.append([text, state, *scores, *of_text])
    return rows


if __name__ == "__main__":
    main()
