"""Batches made ahead, in a process that ends with the one that it makes them for."""

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.processes import end_with_parent

# What is wrong with a text, in a line.
_ERRORS = (ConfigurationError, OSError)


def prefetch(items: Iterable[Any], count: int) -> Iterator[Any]:
    """
    The same items, of which a process of its own makes `count` ahead.

    # Raises

    `ConfigurationError`, `OSError` : as the iterable does, with the same message.
    """
    loader = torch.utils.data.DataLoader(
        _Items(items),
        batch_size=None,
        num_workers=1,
        prefetch_factor=count,
        collate_fn=_identity,
        worker_init_fn=_start_worker,
        # A generator of its own, as a seed drawn from the common one would change the training.
        generator=torch.Generator(),
    )
    for item in loader:
        if isinstance(item, _ERRORS):
            raise item
        yield item


class _Items(torch.utils.data.IterableDataset):
    """Gives an error as the last item: torch would add a stack of calls to its message."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        try:
            yield from self._items
        except _ERRORS as error:
            yield error


def _identity(item: Any) -> Any:
    return item


def _start_worker(worker: int) -> None:
    # torch ends its workers itself, but not one that waits for room in a pipe nobody reads.
    end_with_parent()
