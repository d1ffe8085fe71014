"""`elmo perplexity`: how well a biLM predicts a text."""

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Mapping

from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.data.samplers import BucketBatchSampler
from allennlp.training.util import evaluate

from elmo_plugin.commands import arguments
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.lm_batches import UNKNOWN
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE
from elmo_plugin.layers.char_ids import EOS_TOKEN
from elmo_plugin.models.bilm import BilmModel
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
    model = load_language_model(args.bilm)
    metrics = text_perplexity(model, args.text, args.batch_size, args.cuda_device)
    for name in ("forward_perplexity", "backward_perplexity", "perplexity"):
        print(f"{name:20} {metrics[name]:10.3f}")
    word_ids = model.vocab.get_token_to_index_vocabulary(NAMESPACE)
    print(f"{'unknown_words':20} {unknown_share(iter_sentences(args.text), word_ids):10.2%}")
    if args.unigram:
        value = unigram_perplexity(
            iter_sentences(args.unigram), iter_sentences(args.text), word_ids
        )
        print(f"{'unigram_perplexity':20} {value:10.3f}")


def text_perplexity(
    model: BilmModel, text: str, batch_size: int = 64, cuda_device: int = -1
) -> dict[str, float]:
    """forward_perplexity, backward_perplexity and perplexity of a text: a file or a glob."""
    loader = MultiProcessDataLoader(
        BilmTextReader(model.bilm.config.max_characters),
        text,
        batch_sampler=BucketBatchSampler(batch_size, sorting_keys=["text"], shuffle=False),
    )
    loader.index_with(model.vocab)
    return evaluate(model, loader, cuda_device=cuda_device)


def unknown_share(sentences: Iterable[list[str]], word_ids: Mapping[str, int]) -> float:
    """The share of words, sentence ends apart, that are outside the vocabulary."""
    known = Counter(word in word_ids and word != UNKNOWN for words in sentences for word in words)
    return known[False] / known.total()


def unigram_perplexity(
    train: Iterable[list[str]], text: Iterable[list[str]], word_ids: Mapping[str, int]
) -> float:
    """
    The perplexity of a model that knows how frequent each word is and nothing of its neighbours:
    relative frequencies in `train` with one more occurrence of every word. Words outside the
    vocabulary are one word, and each sentence has an end, as for a biLM.
    """
    counts = Counter(dict.fromkeys(word_ids, 1))
    counts.update(_predicted(train, word_ids))
    total = math.log(sum(counts.values()))
    losses = [total - math.log(counts[word]) for word in _predicted(text, word_ids)]
    return math.exp(math.fsum(losses) / len(losses))


def _predicted(sentences: Iterable[list[str]], word_ids: Mapping[str, int]) -> Iterable[str]:
    for sentence in sentences:
        yield from (word if word in word_ids else UNKNOWN for word in sentence)
        yield EOS_TOKEN
