"""The DatasetReader `subsample`: a random subsample of another reader's instances."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance
from allennlp.data.dataset_readers.dataset_reader import PathOrStr


@DatasetReader.register("subsample")
class SubsampleReader(DatasetReader):
    """
    Keeps a random subsample of another reader's instances, in their order (Figure 1 of Peters et
    al. 2018). With the same seed, a larger subsample contains the smaller ones.

    Registered as a `DatasetReader` with name "subsample".

    # Parameters

    reader : `DatasetReader`
    fraction : `float`
        Above 0, at most 1. At least one instance is kept.
    seed : `int`, optional (default = `0`)

    # Raises

    `ConfigurationError` : the fraction is out of bounds.
    """

    def __init__(
        self, reader: DatasetReader, fraction: float, seed: int = 0, **kwargs: Any
    ) -> None:
        # The other reader already shards the data of distributed training.
        super().__init__(manual_distributed_sharding=True, **kwargs)
        if not 0 < fraction <= 1:
            raise ConfigurationError(
                f"fraction: expected more than 0 and at most 1, got {fraction}"
            )
        self._reader = reader
        self._fraction = fraction
        self._seed = seed

    def _read(self, file_path: PathOrStr) -> Iterable[Instance]:
        # Not `read`, which indexes: workers of a data loader leave that to the main process.
        instances = list(self._reader._multi_worker_islice(self._reader._read(file_path)))
        order = numpy.random.default_rng(self._seed).permutation(len(instances))
        # As a decimal: 0.07 * 100 is a little more than 7.
        kept = order[: math.ceil(Fraction(str(self._fraction)) * len(instances))]
        return (instances[i] for i in sorted(kept))

    def text_to_instance(self, *args: Any, **kwargs: Any) -> Instance:
        return self._reader.text_to_instance(*args, **kwargs)

    def apply_token_indexers(self, instance: Instance) -> None:
        self._reader.apply_token_indexers(instance)
