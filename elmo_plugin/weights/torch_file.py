"""Checks of files of `torch.save` that `torch.load` does not make."""

import os
import struct
import tarfile
import zlib
from pickle import UnpicklingError
from typing import Union
from zipfile import ZIP_STORED, BadZipFile, ZipFile

_ZIP = b"PK\x03\x04"
_DIRECTORY = 0x10

TORCH_FILE_ERRORS = (
    AssertionError,
    AttributeError,
    BadZipFile,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    OverflowError,
    RuntimeError,
    TypeError,
    UnpicklingError,
    ValueError,
    struct.error,
    zlib.error,
)
"""Errors of `torch.load` and `zipfile` on damaged files."""


def check_entries(path: Union[str, "os.PathLike[str]"]) -> None:
    """
    Check the entries of a zip file, which `torch.save` has written since torch 1.6. Pickles of
    earlier versions pass.

    # Raises

    `BadZipFile` : damaged, or with an entry that `torch.load` would misread; a tar file, of which
    `torch.load` may run code before torch 2.6 (CVE-2025-32434).
    """
    with open(path, "rb") as content:
        is_zip = content.read(len(_ZIP)) == _ZIP
    if not is_zip:
        if tarfile.is_tarfile(path):
            raise BadZipFile("expected a file of torch.save, found a tar file")
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
