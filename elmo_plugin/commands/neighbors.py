"""`elmo neighbors`: what a word in its sentence is near to, and the word alone (Table 4)."""

import argparse
import time
from typing import NamedTuple

from allennlp.common.checks import ConfigurationError

from elmo_plugin.commands import arguments
from elmo_plugin.commands.outputs import check_out, write_outputs
from elmo_plugin.data.static_vectors import StaticVectors, read_static_vectors
from elmo_plugin.experiments.intrinsic.corpus_index import CorpusIndex
from elmo_plugin.experiments.intrinsic.neighbors import Neighbors
from elmo_plugin.reporting.provenance import provenance
from elmo_plugin.reporting.tables import Table

_CONTEXT = 12


DESCRIPTION = """Print the tokens of a corpus that are nearest to a word in its sentence,
    by the layer or mix of each index, beside the words whose static vectors are nearest
    to the word's."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "indexes",
        type=arguments.path,
        nargs="+",
        metavar="INDEX",
        help="directory that elmo index wrote",
    )
    parser.add_argument(
        "--query",
        nargs=2,
        action="append",
        required=True,
        metavar=("WORD", "SENTENCE"),
        help="a word and the tokenized sentence that it stands in, its first occurrence there; "
        "may be given several times",
    )
    parser.add_argument(
        "--vectors",
        type=arguments.path,
        required=True,
        help="static word vectors, GloVe's text format",
    )
    parser.add_argument("--number", type=arguments.positive_int, default=5, help="of neighbours; 5")
    arguments.add_out_argument(parser)


class _Query(NamedTuple):
    sentence: list[str]
    position: int

    @property
    def word(self) -> str:
        return self.sentence[self.position]


def run(args: argparse.Namespace) -> None:
    check_out(args)
    queries = [_parse(word, sentence) for word, sentence in args.query]
    indexes = [CorpusIndex(directory) for directory in args.indexes]
    vectors = read_static_vectors(args.vectors)
    static = Neighbors(vectors.vectors.numpy())
    rows, seconds = [], []
    for query in queries:
        columns = [_static(query.word, vectors, static, args.number)]
        for index in indexes:
            start = time.perf_counter()
            found = index.nearest(*query, args.number)
            seconds.append(time.perf_counter() - start)
            columns.append([f"{t.cosine:.2f}: {in_context(t.sentence, t.position)}" for t in found])
        for rank in range(max(1, *map(len, columns))):
            cells = [column[rank] if rank < len(column) else None for column in columns]
            rows.append([in_context(*query) if rank == 0 else "", *cells])
    facts = {
        "Corpus": {directory: index.text for directory, index in zip(args.indexes, indexes)},
        "Search": f"{max(seconds):.2f} s at most for a word and an index of "
        f"{max(map(len, indexes)):,} tokens",
        **provenance(),
    }
    names = ["static vectors", *(str(index.source) for index in indexes)]
    write_outputs(
        args.out, Table("Nearest neighbours", ["of", *names], rows, facts, paper="Table 4")
    )


def _parse(word: str, sentence: str) -> _Query:
    tokens = sentence.split()
    if word not in tokens:
        raise ConfigurationError(f"--query: expected {word!r} among the tokens {tokens}")
    return _Query(tokens, tokens.index(word))


def _static(word: str, vectors: StaticVectors, search: Neighbors, number: int) -> list[str]:
    row = vectors.row(word)
    if row is None:
        return ["no vector"]
    found = search.nearest(vectors.vectors[row].numpy(), number + 1)
    return [f"{one.cosine:.2f}: {vectors.words[one.row]}" for one in found if one.row != row]


def in_context(sentence: list[str], position: int) -> str:
    """A token in bold among its neighbours, of long sentences not all."""
    start, end = max(0, position - _CONTEXT), position + _CONTEXT + 1
    before, after = sentence[start:position], sentence[position + 1 : end]
    shown = [*before, f"**{sentence[position]}**", *after]
    return " ".join(["…"] * (start > 0) + shown + ["…"] * (end < len(sentence)))
