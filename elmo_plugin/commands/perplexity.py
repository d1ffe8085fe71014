"""`elmo perplexity`: how well a biLM predicts a text."""

import argparse

from allennlp.common import Tqdm
from allennlp.nn.util import int_to_device

from elmo_plugin.commands import arguments
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.experiments.intrinsic.perplexity import (
    bilm_perplexity,
    unigram_perplexity,
    unknown_fraction,
)
from elmo_plugin.models.loading import load_language_model

DESCRIPTION = """Print a biLM's forward, backward and average perplexity of a text: exp of
    the mean negative log-likelihood of its words and sentence ends, with the full
    softmax, each sentence by itself. Words outside the biLM's vocabulary are one word;
    unknown_words is their share of the text's words."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "text", type=arguments.path, help="a file or a glob, one tokenized sentence a line"
    )
    arguments.add_bilm_argument(parser)
    parser.add_argument(
        "--unigram",
        type=arguments.path,
        metavar="TEXT",
        help="also print the perplexity of a unigram model of this text, over the same words",
    )
    arguments.add_batch_size_argument(parser)
    arguments.add_cuda_device_argument(parser)


def run(args: argparse.Namespace) -> None:
    model, words = load_language_model(args.bilm)
    device = int_to_device(args.cuda_device)
    text = list(iter_sentences(args.text))
    metrics = bilm_perplexity(model, words, text, args.batch_size, device, Tqdm.tqdm)
    for name, value in metrics.items():
        print(f"{name:20} {value:10.3f}")
    word_ids = {word: row for row, word in enumerate(words)}
    print(f"{'unknown_words':20} {unknown_fraction(text, word_ids):10.2%}")
    if args.unigram:
        value = unigram_perplexity(iter_sentences(args.unigram), text, word_ids)
        print(f"{'unigram_perplexity':20} {value:10.3f}")
