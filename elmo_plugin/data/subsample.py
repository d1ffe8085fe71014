"""The DatasetReader `share`: some of another's instances, chosen at random."""

import math
from collections.abc import Iterable
from typing import Any

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance
from allennlp.data.dataset_readers.dataset_reader import PathOrStr


@DatasetReader.register("share")
class SubsampleReader(DatasetReader):
    """
    Keeps a random share of what another reader reads, in its order; registered as "share". Of the
    same seed, a larger share has all that a smaller one has (Figure 1 of Peters et al. 2018).

    # Parameters

    reader : `DatasetReader`
    share : `float`
        Above 0, at most 1; at least one instance is kept.
    seed : `int`, optional (default = `0`)

    # Raises

    `ConfigurationError` : a share that is none.
    """

    def __init__(self, reader: DatasetReader, share: float, seed: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 < share <= 1:
            raise ConfigurationError(f"share: expected more than 0 and at most 1, got {share}")
        self._reader = reader
        self._share = share
        self._seed = seed

    def _read(self, file_path: PathOrStr) -> Iterable[Instance]:
        instances = list(self._reader.read(file_path))
        order = numpy.random.default_rng(self._seed).permutation(len(instances))
        kept = order[: math.ceil(self._share * len(instances))]
        return (instances[i] for i in sorted(kept))

    def text_to_instance(self, *inputs: Any) -> Instance:
        return self._reader.text_to_instance(*inputs)

    def apply_token_indexers(self, instance: Instance) -> None:
        self._reader.apply_token_indexers(instance)
