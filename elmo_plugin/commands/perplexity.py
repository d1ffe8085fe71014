"""`elmo perplexity`: evaluates a biLM on a text."""

from __future__ import annotations

import argparse
from functools import partial

from elmo_plugin.commands import arguments
from elmo_plugin.common.json_text import to_json
from elmo_plugin.common.progress import progress
from elmo_plugin.common.text import iter_sentences

DESCRIPTION = """Print a biLM's forward perplexity, backward perplexity, and perplexity over both
    directions (the geometric mean of the two) on a text. Perplexity is exp of the mean negative
    log-likelihood of words and sentence ends, with the full softmax. Words outside the biLM's
    vocabulary count as one word; unknown_words is the fraction of the text's words that they make
    up."""
EXAMPLE = "elmo perplexity text/heldout.txt.gz --bilm my-bilm"
needs_allennlp = arguments.bilm_needs_allennlp


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "text",
        type=arguments.path,
        help="plain text, one tokenized sentence per line: a file or glob",
    )
    arguments.add_bilm_argument(parser)
    parser.add_argument(
        "--unigram",
        type=arguments.path,
        metavar="TEXT",
        help="also print the perplexity of a unigram model of this text",
    )
    parser.add_argument(
        "--initial-state",
        choices=("zero", "carried"),
        default="zero",
        help="LSTM state before a sentence. zero: each sentence is scored by itself; carried: "
        "the state after the previous sentence, as for published perplexities; the text is read as "
        "--batch-size parallel streams",
    )
    arguments.add_batch_size_argument(parser)
    arguments.add_cuda_device_argument(parser)
    arguments.add_precision_argument(parser)
    arguments.add_json_argument(parser)


def run(args: argparse.Namespace) -> None:
    metrics = _metrics(args)
    if args.json:
        print(to_json(metrics))
        return
    for name, value in metrics.items():
        shown = f"{value:10.2%}" if name == "unknown_words" else f"{value:10.3f}"
        print(f"{name:20} {shown}")


def _metrics(args: argparse.Namespace) -> dict[str, float]:
    from elmo_plugin.experiments.intrinsic.perplexity import (
        UnigramModel,
        bilm_perplexity,
        unknown_fraction,
    )
    from elmo_plugin.models.loading import load_language_model
    from elmo_plugin.weights.bilm_file import precision_type

    model, words = load_language_model(args.bilm)
    model.bilm.to_precision(precision_type(args.precision))
    sentences = list(iter_sentences(args.text))
    metrics = bilm_perplexity(
        model,
        words,
        sentences,
        args.batch_size,
        arguments.device_name(args.cuda_device),
        partial(progress, description="perplexity", unit="batches"),
        args.initial_state,
    )
    word_ids = {word: row for row, word in enumerate(words)}
    metrics["unknown_words"] = unknown_fraction(sentences, word_ids)
    if args.unigram:
        unigram = UnigramModel(iter_sentences(args.unigram), word_ids)
        metrics["unigram_perplexity"] = unigram.perplexity(sentences)
    return metrics
