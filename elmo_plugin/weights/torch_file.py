"""Checks of files of `torch.save` that `torch.load` does not make."""

import os
from typing import Union
from zipfile import ZIP_STORED, BadZipFile, ZipFile

_ZIP = b"PK\x03\x04"
_DIRECTORY = 0x10


def check_entries(path: Union[str, "os.PathLike[str]"]) -> None:
    """
    Check the entries of a zip file, which `torch.save` has written since torch 1.6. Other files
    pass.

    # Raises

    `BadZipFile` : damaged, or with an entry that `torch.load` would misread.
    """
    with open(path, "rb") as content:
        if content.read(len(_ZIP)) != _ZIP:
            return
    with ZipFile(path) as file:
        # For an entry marked as a directory, torch reads nothing and returns uninitialized memory.
        strange = (
            entry.filename
            for entry in file.infolist()
            if entry.compress_type != ZIP_STORED or entry.external_attr & _DIRECTORY
        )
        damaged = next(strange, None) or file.testzip()
    if damaged is not None:
        raise BadZipFile(f"damage in {damaged}")
