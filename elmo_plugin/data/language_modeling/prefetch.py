"""Prefetching in a worker process."""

import gc
from collections.abc import Iterable, Iterator
from typing import TypeVar, Union

import torch
from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.processes import end_with_parent

Item = TypeVar("Item")

# Errors about the text, with a message of one line.
_ERRORS = (ConfigurationError, OSError)


def prefetch(items: Iterable[Item], count: int) -> Iterator[Item]:
    """
    Yield the items, which a worker process prepares up to `count` ahead.

    # Raises

    `ConfigurationError`, `OSError` : raised by the iterable; the message is kept.
    """
    loader = torch.utils.data.DataLoader(
        _Items(items),
        batch_size=None,
        num_workers=1,
        prefetch_factor=count,
        collate_fn=_identity,
        worker_init_fn=_start_worker,
        # A seed drawn from the global generator would change the training.
        generator=torch.Generator(),
    )
    for item in loader:
        if isinstance(item, _ERRORS):
            raise item
        yield item


class _Items(torch.utils.data.IterableDataset[Union[Item, Exception]]):
    """Yields an error as the last item: raised in a worker, torch adds a stack trace to it."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Union[Item, Exception]]:
        try:
            yield from self._items
        except _ERRORS as error:
            yield error


def _identity(item: Item) -> Item:
    return item


def _start_worker(worker: int) -> None:
    # Garbage collection skips the objects that the parent process made.
    gc.freeze()
    # torch ends its workers itself, but not one that is blocked on a full pipe.
    end_with_parent()
