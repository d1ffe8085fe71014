"""Encodes blocks on a Ray cluster."""

from __future__ import annotations

import logging
import pickle
import socket
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy
import pyarrow
import ray
from ray.data import Datasource
from ray.data.block import BlockMetadata
from ray.data.datasource import ReadTask

from elmo_plugin.data.sentence import Sentence
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.blocks import iter_blocks
from elmo_plugin.embedding.corpus import Blocks, encode_blocks
from elmo_plugin.embedding.parts import PartStore

# Fractions of a core: with whole ones for all actors, none would be left to read the text.
_CORE_OF_READER, _CORE_OF_ACTOR = 0.05, 0.9

_BLOCK = "block"


@dataclass(frozen=True)
class Ray:
    """
    An engine of actors on a Ray cluster, with a core or a GPU each, fed by Ray Data. Each file of
    the text is read by one task. All machines must see the text, the biLM and the result's
    directory under the same paths. Ray restarts an actor that was killed and repeats its blocks.

    # Parameters

    workers : `int`
        Number of actors.
    address : `str`, optional (default = `None`)
        Address of a running cluster; if `None`, one is started on this machine.

    # Raises

    `ValueError` : no cluster answers at the address.
    """

    workers: int
    address: str | None = None

    def __call__(
        self, encoder: BlockEncoder, files: Sequence[Iterable[Sentence]], store: PartStore
    ) -> Blocks:
        self._connect()
        gpus = 1 if encoder.device.startswith("cuda") else 0
        _configure()
        text = ray.data.read_datasource(_Text(files), num_cpus=_CORE_OF_READER)
        finished = text.map_batches(
            _Actor,
            fn_constructor_args=(encoder, store),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=self.workers),
            num_cpus=_CORE_OF_ACTOR,
            num_gpus=gpus,
        )
        for row in finished.iter_rows():
            yield pickle.loads(row[_BLOCK])

    def _connect(self) -> None:
        if ray.is_initialized():
            return
        if self.address:
            _check_address(self.address)
        ray.init(self.address, log_to_driver=False, logging_level=logging.ERROR)


def _check_address(address: str) -> None:
    """Raise a `ValueError` at once where nothing answers: Ray would try for a minute."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if address in ("auto", "local"):
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{address}: expected the address of a Ray cluster, HOST:PORT, found none: {error}"
        ) from error


def _configure() -> None:
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    context.issue_detectors_config.detectors = []
    # So that each block of text can go to another actor.
    context.target_max_block_size = 1


class _Text(Datasource):
    """The blocks of each file, read by a task of its own."""

    def __init__(self, files: Sequence[Iterable[Sentence]]) -> None:
        self._files = files

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def get_read_tasks(self, *_: Any, **__: Any) -> list[ReadTask]:
        metadata = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
        return [
            ReadTask(partial(_read, number, file), metadata)
            for number, file in enumerate(self._files)
        ]


def _read(number: int, file: Iterable[Sentence]) -> Iterator[pyarrow.Table]:
    for block in iter_blocks([file]):
        yield pyarrow.table({_BLOCK: [pickle.dumps(block._replace(file=number))]})


class _Actor:
    """Holds the biLM; writes the parts of blocks that have none."""

    def __init__(self, encoder: BlockEncoder, store: PartStore) -> None:
        self._encoder = encoder
        self._store = store

    def __call__(self, rows: dict[str, numpy.ndarray]) -> dict[str, list[bytes]]:
        blocks = map(pickle.loads, rows[_BLOCK])
        for _ in encode_blocks(self._encoder, blocks, self._store):
            pass
        return {_BLOCK: list(rows[_BLOCK])}
