"""The biLM and its rivals, as vectors of given words: the rows of the analysis' tables."""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from elmo_plugin.commands import arguments
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.data.static_vectors import StaticVectors, read_static_vectors
from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.layers.cove import Cove
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.weights.cove_file import load_cove

Sentences = Sequence[list[str]]
Span = tuple[int, int, int]
"""Sentence, first token, and the token after the last."""

BATCH_SIZE = 64


class Representation(NamedTuple):
    """Something that gives every token a vector, or several: one a layer."""

    name: str
    weights: str
    """Which ones these are."""
    layers: list[str]
    dim: int
    encode: Callable[[Sentences], torch.Tensor]
    """Sentences to vectors of shape (layers, batch, tokens, dim)."""


def add_rival_arguments(parser: argparse.ArgumentParser) -> None:
    """What `all_representations` takes beside the biLM."""
    parser.add_argument(
        "--vectors",
        type=arguments.path,
        required=True,
        help="static word vectors to compare with, GloVe's text format",
    )
    parser.add_argument(
        "--cove",
        type=arguments.path,
        help="CoVe's published weights; without, random ones stand in their place",
    )
    parser.add_argument("--seed", type=arguments.seed, default=0, help="of what is drawn at random")


def random_bilm(like: Bilm, seed: int) -> Bilm:
    """A biLM of the same shape that has learned nothing."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Bilm(like.config).eval().requires_grad_(False)


def all_representations(args: argparse.Namespace) -> list[Representation]:
    """The biLM that was asked for, and what it is compared with."""
    bilm = load_bilm_from(args.bilm)
    vectors = read_static_vectors(args.vectors)
    return [
        of_static_vectors(vectors, args.vectors),
        of_cove(
            "CoVe" if args.cove else "random CoVe",
            *(_cove(args, vectors.dim), vectors, args.cove or f"random, seed {args.seed}"),
        ),
        of_bilm("random biLM", random_bilm(bilm, args.seed), f"random, seed {args.seed}"),
        of_bilm("biLM", bilm, args.bilm),
    ]


def _cove(args: argparse.Namespace, dim: int) -> Cove:
    if args.cove is None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(args.seed)
            return Cove(dim).eval()
    with configuration_errors():
        cove = load_cove(args.cove)
    if cove.input_dim != dim:
        raise ConfigurationError(
            f"--vectors {args.vectors}: expected the {cove.input_dim} dimensions that {args.cove} "
            f"reads, found {dim}"
        )
    return cove


def of_bilm(name: str, bilm: Bilm, weights: str) -> Representation:
    """Each layer, and their average."""
    numbers = range(bilm.config.num_layers + 1)

    def encode(sentences: Sentences) -> torch.Tensor:
        layers = bilm(batch_to_ids(sentences, bilm.config.max_characters)).layers
        return torch.cat([layers, layers.mean(0, keepdim=True)])

    return Representation(name, weights, [*map(str, numbers), "average"], bilm.output_dim, encode)


def of_static_vectors(vectors: StaticVectors, weights: str) -> Representation:
    """The only layer."""
    return Representation(
        "static vectors", weights, [""], vectors.dim, lambda s: vectors.embed(s)[None]
    )


def of_cove(name: str, cove: Cove, vectors: StaticVectors, weights: str) -> Representation:
    """Both layers."""

    def encode(sentences: Sentences) -> torch.Tensor:
        lengths = torch.tensor([len(sentence) for sentence in sentences])
        mask = torch.arange(int(lengths.max())) < lengths.unsqueeze(1)
        return cove(vectors.embed(sentences), mask)

    return Representation(name, weights, ["1", "2"], cove.output_dim, encode)


def encode_batches(
    representation: Representation, sentences: Sentences, description: str
) -> Iterator[tuple[list[int], torch.Tensor]]:
    """
    Vectors of all sentences, in batches of like length, with progress shown.

    # Returns

    `Iterator` : which sentences, and their vectors of shape (layers, batch, tokens, dim).
    """
    for rows in Tqdm.tqdm(batches(sentences), desc=description, unit=" batches"):
        with torch.inference_mode():
            yield rows, representation.encode([sentences[row] for row in rows])


def batches(sentences: Sentences) -> list[list[int]]:
    """The numbers of sentences of like length together."""
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    return [order[start : start + BATCH_SIZE] for start in range(0, len(order), BATCH_SIZE)]


def span_vectors(
    representation: Representation,
    sentences: Sentences,
    spans: Sequence[Span],
    description: str,
) -> numpy.ndarray:
    """The mean vector of each span of tokens, by layer. Shape (layers, spans, dim)."""
    of_sentence: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for number, (sentence, start, end) in enumerate(spans):
        of_sentence[sentence].append((number, start, end))
    output = numpy.empty(0)
    for rows, vectors in encode_batches(representation, sentences, description):
        layers = vectors.numpy()
        if not output.size:
            output = numpy.empty((len(layers), len(spans), layers.shape[-1]), layers.dtype)
        for place, row in enumerate(rows):
            for number, start, end in of_sentence[row]:
                output[:, number] = layers[:, place, start:end].mean(1)
    return output
