"""Sense-tagged text and the vectors of its instances."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy

from elmo_plugin.data.senses import SenseInstance, read_senses
from elmo_plugin.experiments.intrinsic.representations import Representation
from elmo_plugin.experiments.intrinsic.token_vectors import span_vectors


class SenseText(NamedTuple):
    """Sense-tagged text."""

    file: str
    sentences: list[list[str]]
    instances: list[SenseInstance]

    @classmethod
    def read(cls, file: str, lemma: Optional[str] = None) -> SenseText:
        """Read a file, or only the instances of a lemma in it."""
        sentences, instances = read_senses(file)
        chosen = [one for one in instances if lemma is None or one.lemma == lemma]
        if not chosen:
            raise ValueError(
                f"--lemma {lemma}: expected a lemma of {file} and its part of speech, as in "
                "play.n, found none"
            )
        return cls(file, sentences, chosen)

    @property
    def lemmas(self) -> list[str]:
        return [instance.lemma for instance in self.instances]

    @property
    def senses(self) -> list[str]:
        return [instance.sense for instance in self.instances]

    def vectors(self, representation: Representation) -> numpy.ndarray:
        """Return the instances' vectors. Shape (layers, instances, dim)."""
        spans = [(one.sentence, one.start, one.end) for one in self.instances]
        description = f"{representation.name}, {self.file}"
        return span_vectors(representation, self.sentences, spans, description)
