"""The interface of a kind of input: how it is written, damaged and read."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import torch
from allennlp.common.checks import ConfigurationError

MARKER = "executed"
"""Name of the file that hostile code writes into the directory of its input."""


class Refused(Exception):
    """A command ended with an error message instead of a traceback."""


class NotFinite(Exception):
    """Reading succeeded and gave NaN or infinity."""


class Wrong(Exception):
    """Reading succeeded and gave something else than the undamaged input does."""


class Kind(ABC):
    """
    A kind of input to damage.

    # Parameters

    material : `Path`
        The directory that `make_material` filled.
    """

    name: ClassVar[str]
    errors: ClassVar[tuple[type[BaseException], ...]] = (ConfigurationError, OSError, Refused)
    """Errors that reading may raise."""

    def __init__(self, material: Path) -> None:
        self.material = material

    @abstractmethod
    def write(self, directory: Path) -> None:
        """Write the undamaged input into an empty directory."""

    @abstractmethod
    def damage(self, rng: random.Random, directory: Path) -> None:
        """Damage what `write` wrote."""

    @abstractmethod
    def run(self, rng: random.Random, directory: Path) -> None:
        """
        Read the input as a user does. The working directory is `directory`.

        # Raises

        One of `errors` if the input is refused; `NotFinite`; `Wrong`.
        """

    def may_change(self, name: str, ended_well: bool) -> bool:
        """Return True if reading may change or remove an existing file."""
        return False


def check_finite(tensors: Iterable[torch.Tensor], what: str) -> None:
    """
    Check that tensors have no NaN or infinity.

    # Raises

    `NotFinite` : there is NaN or infinity.
    """
    if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors):
        raise NotFinite(f"{what}: expected finite numbers, found others")


def check_same(
    found: Mapping[str, torch.Tensor], expected: Mapping[str, torch.Tensor], what: str
) -> None:
    """
    Check that tensors are equal by name.

    # Raises

    `Wrong` : names the tensors that differ.
    """
    names = sorted(found.keys() | expected.keys())
    different = [
        name
        for name in names
        if name not in found or name not in expected or not torch.equal(found[name], expected[name])
    ]
    if different:
        raise Wrong(f"{what}: other values than the undamaged input has in {', '.join(different)}")


def check_equal(found: Any, expected: Any, what: str) -> None:
    """
    Check that two values are equal.

    # Raises

    `Wrong` : they differ.
    """
    if found != expected:
        raise Wrong(f"{what}: {str(found)[:200]!r} instead of {str(expected)[:200]!r}")
