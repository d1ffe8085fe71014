"""Checks on files of `torch.save`, which `torch.load` does not make."""

import os
from typing import Union
from zipfile import ZIP_STORED, BadZipFile, ZipFile

_ZIP = b"PK\x03\x04"
_DIRECTORY = 0x10


def check_entries(path: Union[str, "os.PathLike[str]"]) -> None:
    """
    Checks the entries of a zip file, which `torch.save` has written since torch 1.6; a file of an
    older torch, or any other, passes.

    # Raises

    `BadZipFile` : damaged, or with an entry of which `torch.load` would read something else.
    """
    with open(path, "rb") as content:
        if content.read(len(_ZIP)) != _ZIP:
            return
    with ZipFile(path) as file:
        # Of an entry marked as a directory, torch reads nothing, and takes what was in memory.
        strange = (
            entry.filename
            for entry in file.infolist()
            if entry.compress_type != ZIP_STORED or entry.external_attr & _DIRECTORY
        )
        damaged = next(strange, None) or file.testzip()
    if damaged is not None:
        raise BadZipFile(f"damage in {damaged}")
