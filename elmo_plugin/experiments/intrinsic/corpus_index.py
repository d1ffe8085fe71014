"""Searches the index of a corpus for the tokens nearest to one in context."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy

from elmo_plugin.experiments.intrinsic.corpus_encoder import CorpusEncoder, IndexConfig
from elmo_plugin.experiments.intrinsic.index_files import (
    SENTENCES,
    STARTS,
    VECTORS,
    check_files,
    read_description,
)
from elmo_plugin.experiments.intrinsic.neighbors import nearest

_CANDIDATES = 20  # per result, at first: a sentence may occur twice, or have several near tokens


class TokenInContext(NamedTuple):
    """A token of the corpus that a search found."""

    sentence: list[str]
    position: int
    cosine: float


class CorpusIndex:
    """
    An index that `build_index` wrote.

    # Parameters

    directory : `str`
    device : `str`, optional (default = `"cpu"`)
        Encodes the queries.

    # Raises

    `ValueError` : no index, a damaged one, or one of another biLM than its path now holds.
    """

    def __init__(self, directory: str, device: str = "cpu") -> None:
        description = read_description(directory)
        self.text: str = description["text"]
        self.config = IndexConfig(**{name: description[name] for name in IndexConfig._fields})
        self._encoder = CorpusEncoder(self.config, device)
        if self._encoder.fingerprint() != description["fingerprint"]:
            raise ValueError(
                f"{directory}: expected the biLM that it was made with, found another one in "
                f"{self.config.bilm}; make the index again"
            )
        check_files(directory, description)
        files = Path(directory)
        self._starts = numpy.load(files / STARTS)
        # splitlines would split at more than line feeds.
        self._sentences = (files / SENTENCES).read_text(encoding="utf-8").split("\n")[:-1]
        self._vectors = numpy.load(files / VECTORS, mmap_mode="r")

    def __len__(self) -> int:
        return len(self._vectors)

    def nearest(self, sentence: list[str], position: int, number: int) -> list[TokenInContext]:
        """
        Return the tokens nearest to one of a sentence, the nearest first: at most one per sentence
        of the corpus, and none of the same sentence.

        # Parameters

        sentence : `List[str]`
            Tokens.
        position : `int`
            Position of the token in the sentence, from 0.
        number : `int`
            Number of tokens to return; fewer if the corpus has fewer sentences.
        """
        vector = next(self._encoder.stream([sentence]))[position]
        candidates = _CANDIDATES * number
        found = self._in_other_sentences(sentence, vector, candidates)
        # Too few where a line is in the corpus many times.
        while len(found) < number and candidates < len(self):
            candidates *= 2
            found = self._in_other_sentences(sentence, vector, candidates)
        return found[:number]

    def _in_other_sentences(
        self, sentence: list[str], vector: numpy.ndarray, candidates: int
    ) -> list[TokenInContext]:
        """Return the nearest tokens among `candidates` rows, one per sentence."""
        seen, found = {" ".join(sentence)}, []
        for row, cosine in nearest(self._vectors, vector, candidates):
            index = int(numpy.searchsorted(self._starts, row, side="right")) - 1
            line = self._sentences[index]
            if line not in seen:
                seen.add(line)
                offset = row - int(self._starts[index])
                found.append(TokenInContext(line.split(" "), offset, cosine))
        return found
