"""Files of `torch.save` with a checksum, so that damage is noticed: `torch.load` looks for none."""

import hashlib
import io
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Optional, Union
from zipfile import BadZipFile

import torch

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.weights.torch_file import check_entries

_MARK = b"blake2b "
_CHECKSUM_SIZE = len(_MARK) + 32
_CHUNK = 2**20


def save_state(state: dict[str, Any], path: Union[str, Path]) -> str:
    """
    Writes a file for `load_state`, or for `torch.load`, all or nothing.

    # Returns

    `str` : its checksum.

    # Raises

    `OSError` : such as a full disk; `path` is as it was before.
    """
    # In memory first: PyTorch does not say what the system says of a full disk.
    content = io.BytesIO()
    torch.save(state, content)
    # The checksum is a zip file's comment: the last field, after the two bytes of its length.
    content.seek(-2, io.SEEK_END)
    content.write(_CHECKSUM_SIZE.to_bytes(2, "little"))
    checksum = hashlib.blake2b(content.getbuffer(), digest_size=16).hexdigest()
    content.write(_MARK + checksum.encode())
    with atomic_write(path) as temporary:
        temporary.write_bytes(content.getbuffer())
    return checksum


def load_state(path: Union[str, Path], checksum: Optional[str] = None) -> dict[str, Any]:
    """
    What `save_state` wrote, on the CPU.

    # Parameters

    path : `str`
    checksum : `str`, optional (default = `None`)
        What `save_state` returned, where that is known.

    # Raises

    `ValueError` : as `read_checksum`; another checksum; or contents that are no state.
    """
    found = read_checksum(path)
    if checksum not in (None, found):
        raise ValueError(f"{path}: expected the checksum {checksum}, found {found}")
    try:
        check_entries(path)
        return torch.load(path, map_location="cpu", weights_only=True)
    except (BadZipFile, RuntimeError, UnpicklingError) as error:
        raise ValueError(f"{path}: expected a checkpoint's file, found: {error}") from error


def read_checksum(path: Union[str, Path]) -> str:
    """
    What `save_state` returned, compared with the contents.

    # Raises

    `ValueError` : no file of `save_state`, or a damaged one; names it.
    """
    try:
        with open(path, "rb") as file:
            size = max(file.seek(0, io.SEEK_END) - _CHECKSUM_SIZE, 0)
            file.seek(0)
            digest = hashlib.blake2b(digest_size=16)
            while chunk := file.read(min(_CHUNK, size - file.tell())):
                digest.update(chunk)
            found = file.read()
    except OSError as error:
        raise ValueError(f"{path}: expected a checkpoint's file, found: {error}") from error
    if found != _MARK + digest.hexdigest().encode():
        raise ValueError(
            f"{path}: expected a checkpoint's file, which ends with the checksum of its contents, "
            "found another file, or a damaged one"
        )
    return digest.hexdigest()
