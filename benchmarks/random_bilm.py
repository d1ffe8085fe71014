"""How similar are the vectors of different words in a random biLM?

Compares the biLM with untrained ones of the same shape: as initialized, with the layer norm of
ELMo's mix, and with the standardized token layer of `elmo controls`.

    python benchmarks/random_bilm.py fixtures/lm/heldout.txt --out results/random_bilm
"""

import argparse
from collections.abc import Sequence
from itertools import islice

import torch
from torch.nn.functional import normalize

from elmo_plugin.commands.arguments import add_bilm_argument, add_out_argument, positive_int
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.experiments.intrinsic.representations import Sentences
from elmo_plugin.experiments.runner.random_bilm import random_words, standardize_token_layer
from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.layers.scalar_mix import ScalarMix
from elmo_plugin.layers.untrained_bilm import untrained_bilm
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

COLUMNS = ("vectors", "token layer: mean cosine", "ELMo: mean cosine", "ELMo: centered norm")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", help="one tokenized sentence per line")
    parser.add_argument("--sentences", type=positive_int, default=200, help="the first ones")
    parser.add_argument("--random-seeds", type=positive_int, default=5)
    add_bilm_argument(parser)
    add_out_argument(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    sentences = [*islice(iter_sentences(arguments.text), arguments.sentences)]
    seeds = range(1, arguments.random_seeds + 1)
    metadata = {
        "Text": f"the first {len(sentences)} sentences of {arguments.text}",
        "ELMo": "the average of the layers",
        "Vectors": "of each distinct word, the mean over its tokens",
        "Mean cosine": "over all pairs of words",
        "Centered norm": "mean norm of the vectors after their mean is subtracted",
        "Random biLMs": f"seeds {[*seeds]}",
    }
    rows = similarities(load_bilm_from(arguments.bilm), seeds, sentences)
    write_table(arguments, Result(Table("Random biLMs", COLUMNS, rows, metadata)))


def similarities(bilm: Bilm, seeds: Sequence[int], sentences: Sentences) -> list[list[Cell]]:
    """Return a row for the biLM and for each kind of untrained biLM."""
    untrained = [untrained_bilm(bilm, seed) for seed in seeds]
    rows = [
        _row("biLM", [bilm], sentences),
        _row("random biLM", untrained, sentences),
        _row("random biLM, with layer norm", untrained, sentences, do_layer_norm=True),
    ]
    for seed, one in zip(seeds, untrained):
        standardize_token_layer(one, random_words(seed))
    return [*rows, _row("random biLM, with standardized token layer", untrained, sentences)]


def _row(
    name: str, bilms: Sequence[Bilm], sentences: Sentences, do_layer_norm: bool = False
) -> list[Cell]:
    measured = [_measure(bilm, sentences, do_layer_norm) for bilm in bilms]
    return [name, *(SeedStats(values) for values in zip(*measured))]


@torch.inference_mode()
def _measure(bilm: Bilm, sentences: Sentences, do_layer_norm: bool) -> tuple[float, ...]:
    """Return the columns after the first."""
    output = bilm(batch_to_ids(sentences, bilm.config.max_characters))
    mix = ScalarMix(len(output.layers), "average", do_layer_norm)
    token_layer, elmo = (
        _word_means(vectors[output.mask], sentences)
        for vectors in (output.layers[0], mix(output.layers, output.mask))
    )
    centered = elmo - elmo.mean(0)
    return _mean_cosine(token_layer), _mean_cosine(elmo), centered.norm(dim=1).mean().item()


def _word_means(vectors: torch.Tensor, sentences: Sentences) -> torch.Tensor:
    """Average the tokens' vectors by word. Shape (words, dim)."""
    tokens = [token for sentence in sentences for token in sentence]
    rows = {word: row for row, word in enumerate(dict.fromkeys(tokens))}
    index = torch.tensor([rows[token] for token in tokens])
    sums = vectors.new_zeros(len(rows), vectors.size(1)).index_add_(0, index, vectors)
    return sums / index.bincount()[:, None]


def _mean_cosine(vectors: torch.Tensor) -> float:
    unit = normalize(vectors, dim=1)
    num_pairs = len(unit) * (len(unit) - 1)
    return ((unit @ unit.T).sum().item() - len(unit)) / num_pairs


if __name__ == "__main__":
    main()
