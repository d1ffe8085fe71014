"""Table 4 (section 5.3): the nearest neighbors of a word in context, and of its static vector."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple, Optional

from elmo_plugin.data.static_vectors import StaticVectors, read_static_vectors
from elmo_plugin.experiments.intrinsic.corpus_index import CorpusIndex
from elmo_plugin.experiments.intrinsic.neighbors import nearest
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table

_CONTEXT = 12


class Query(NamedTuple):
    """A token in its sentence."""

    sentence: list[str]
    position: int

    @classmethod
    def parse(cls, word: str, sentence: str) -> Query:
        """Find the first occurrence of a word in a tokenized sentence."""
        tokens = sentence.split()
        if word not in tokens:
            raise ValueError(f"--query: expected {word!r} among the tokens {tokens}")
        return cls(tokens, tokens.index(word))

    @property
    def word(self) -> str:
        return self.sentence[self.position]


def nearest_neighbors(
    queries: Sequence[Query],
    directories: Sequence[str],
    vectors: Optional[str] = None,
    number: int = 5,
    device: str = "cpu",
) -> Result:
    """
    Search corpora for the tokens nearest to a word in its sentence.

    # Parameters

    queries : `Sequence[Query]`
    directories : `Sequence[str]`
        Indexes that `build_index` wrote, one per column.
    vectors : `str`, optional
        Static word vectors, for a column with the words nearest to the query's word.
    number : `int`, optional (default = `5`)
        Neighbors per query.
    device : `str`, optional (default = `"cpu"`)

    # Returns

    `Result` : neighbors by rank, a block of rows per query.

    # Raises

    `ValueError` : the same directory twice.
    """
    if len(set(directories)) < len(directories):
        raise ValueError(f"INDEX: expected different directories, got {' '.join(directories)}")
    indexes = [CorpusIndex(directory, device) for directory in directories]
    static = None if vectors is None else StaticNeighbors(read_static_vectors(vectors))
    rows: list[list[Cell]] = []
    start = time.perf_counter()
    for query in queries:
        found = [] if static is None else [static.nearest(query.word, number)]
        found += [_nearest_tokens(index, query, number) for index in indexes]
        rows += _block(in_context(*query), found)
    seconds = (time.perf_counter() - start) / len(queries)
    metadata = {
        "Corpus": {directory: index.text for directory, index in zip(directories, indexes)},
        "Search": f"{seconds:.2f} s per query; at most {max(map(len, indexes)):,} tokens per index",
    }
    columns = ["query", *([] if static is None else ["static vectors"])]
    columns += _names(directories, [str(index.config) for index in indexes])
    return Result(Table("Nearest neighbors", columns, rows, metadata, paper="Table 4"))


def _names(directories: Sequence[str], configs: Sequence[str]) -> list[str]:
    """Return the column names: what each index holds, with its directory if two hold the same."""
    return [
        config if configs.count(config) == 1 else f"{config}, {directory}"
        for directory, config in zip(directories, configs)
    ]


def _nearest_tokens(index: CorpusIndex, query: Query, number: int) -> list[str]:
    found = index.nearest(*query, number)
    return [f"{token.cosine:.2f}: {in_context(*token[:2])}" for token in found]


class StaticNeighbors:
    """Searches static vectors for the nearest words."""

    def __init__(self, vectors: StaticVectors) -> None:
        self._vectors = vectors

    def nearest(self, word: str, number: int) -> list[str]:
        """Return cosines and words, without the word itself."""
        row = self._vectors.row(word)
        if row is None:
            return ["no vector"]
        vectors = self._vectors.vectors.numpy()
        found = nearest(vectors, vectors[row], number + 1)
        words = self._vectors.words
        others = [f"{one.cosine:.2f}: {words[one.row]}" for one in found if one.row != row]
        return others[:number]  # the word itself may be missing: equal vectors, or zeros


def _block(query: str, columns: list[list[str]]) -> list[list[Cell]]:
    """Return a row per rank, of which the first names the query."""
    return [
        [
            query if rank == 0 else "",
            *(column[rank] if rank < len(column) else None for column in columns),
        ]
        for rank in range(max(1, *map(len, columns)))
    ]


def in_context(sentence: list[str], position: int) -> str:
    """Return a sentence with one token in bold, shortened around it."""
    start, end = max(0, position - _CONTEXT), position + _CONTEXT + 1
    before, after = sentence[start:position], sentence[position + 1 : end]
    shown = [*before, f"**{sentence[position]}**", *after]
    return " ".join(["…"] * (start > 0) + shown + ["…"] * (end < len(sentence)))
