"""Types of command-line arguments. Where one refuses a value, argparse names the argument."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

import torch

MAX_SEED = 2**32 - 1
"""NumPy's."""


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """The type of whole numbers in a range, both ends included."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise _refused(f"a whole number from {least} to {most}", text)
        return number

    return parse


positive_int = whole_number(1, 2**31 - 1)
seed = whole_number(0, MAX_SEED)


def cuda_device(text: str) -> int:
    """-1 for the CPU, or the number of a GPU that is there."""
    gpus = torch.cuda.device_count()
    try:
        return whole_number(-1, gpus - 1)(text)
    except argparse.ArgumentTypeError:
        raise _refused(f"-1 for the CPU, or one of {gpus} GPUs, counted from 0", text) from None


def share(text: str) -> float:
    """A number above 0 and at most 1."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise _refused("a number above 0 and at most 1", text)
    return number


def path(text: str) -> str:
    """Any name but the empty one, which would stand for the working directory."""
    if not text:
        raise _refused("a path", text)
    return text


def output_file(text: str) -> str:
    """The name of a file that is there or can be."""
    if os.path.isdir(text):
        raise _refused("the name of a file, found a directory", text)
    return output_prefix(text)


def output_prefix(text: str) -> str:
    """Prefix of several files' names."""
    if os.path.basename(text) in ("", ".", ".."):
        raise _refused("the name of a file", text)
    return text


def archive_file(text: str) -> str:
    """The name of a model.tar.gz to write."""
    if not text.endswith(".tar.gz"):
        raise _refused("a name that ends in .tar.gz", text)
    return output_file(text)


def output_directory(text: str) -> str:
    """The name of a directory that is there or can be."""
    if os.path.lexists(text) and not os.path.isdir(text):
        raise _refused("the name of a directory, found a file", text)
    return path(text)


def _refused(expected: str, text: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"expected {expected}, got {text!r}")
