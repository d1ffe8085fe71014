"""Encodes blocks in processes of one machine."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice

from elmo_plugin.common.processes import end_with_parent
from elmo_plugin.data.sentence import Sentence
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.blocks import Block, iter_blocks
from elmo_plugin.embedding.corpus import Blocks, encode_blocks
from elmo_plugin.embedding.parts import PartStore

_BLOCKS_AHEAD = 3
_work: _Work | None = None


@dataclass(frozen=True)
class Processes:
    """
    An engine of several processes, with a core each. What fits into one block is encoded in this
    process.

    # Parameters

    workers : `int`
    """

    workers: int

    def __call__(
        self, encoder: BlockEncoder, files: Sequence[Iterable[Sentence]], store: PartStore
    ) -> Blocks:
        """
        Encode blocks in all processes, and yield each in the order of the text.

        # Raises

        `ValueError` : a worker was killed, as by the system when memory runs out.
        """
        blocks = iter_blocks(files)  # once, as standard input cannot be read again
        first = list(islice(blocks, 2))
        if len(first) < 2:
            yield from encode_blocks(encoder, first, store)
            return
        with ProcessPoolExecutor(
            self.workers,
            multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(encoder, store),
        ) as pool:
            try:
                yield from self._run(pool, chain(first, blocks), store)
            except BrokenProcessPool as error:
                raise ValueError(
                    "a worker process was killed, perhaps because memory ran out; run the same "
                    "command again to resume"
                ) from error
            except BaseException:  # such as an interrupt, or an error in a block
                pool.shutdown(wait=False, cancel_futures=True)  # drop queued blocks
                raise

    def _run(
        self, pool: ProcessPoolExecutor, blocks: Iterable[Block], store: PartStore
    ) -> Iterator[Block]:
        # As few blocks in memory as keep all workers busy.
        running: deque[tuple[Block, Future[None] | None]] = deque()
        for block in blocks:
            done = store.has(block.name, block.digest())
            running.append((block, None if done else pool.submit(_encode, pickle.dumps(block))))
            if len(running) >= _BLOCKS_AHEAD * self.workers:
                yield _finish(*running.popleft())
        while running:
            yield _finish(*running.popleft())


def _finish(block: Block, future: Future[None] | None) -> Block:
    if future is not None:
        try:
            future.result()
        except ValueError as error:
            # Raised by this module, as `elmo` prints the errors of this package in one line.
            raise ValueError(str(error)) from error
    return block


@dataclass(frozen=True)
class _Work:
    encoder: BlockEncoder
    store: PartStore


def _start(encoder: BlockEncoder, store: PartStore) -> None:
    global _work
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C also reaches workers
    _work = _Work(encoder, store)


def _encode(pickled: bytes) -> None:
    """
    Encode a block that was pickled by the caller: the pool's own pickler passes each tensor in a
    file of shared memory, and systems limit their number.
    """
    assert _work is not None
    _work.store.write(_work.encoder(pickle.loads(pickled)))
