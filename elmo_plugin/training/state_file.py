"""Files of `torch.save` with a checksum, to detect damage, which `torch.load` does not."""

import hashlib
import io
from pathlib import Path
from typing import Any, Optional, Union

import torch

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.weights.torch_file import TORCH_FILE_ERRORS, check_entries

_PREFIX = b"blake2b "
_CHECKSUM_SIZE = len(_PREFIX) + 32
_CHUNK = 2**20


def save_state(state: dict[str, Any], path: Union[str, Path]) -> str:
    """
    Write a file for `load_state`, or for `torch.load`, atomically.

    # Returns

    `str` : the checksum.

    # Raises

    `OSError` : for example a full disk; `path` is unchanged.
    """
    # In memory first: PyTorch does not report the system's error for a full disk.
    content = io.BytesIO()
    torch.save(state, content)
    # The checksum is the zip file's comment: the last field, after two bytes with its length.
    content.seek(-2, io.SEEK_END)
    content.write(_CHECKSUM_SIZE.to_bytes(2, "little"))
    checksum = hashlib.blake2b(content.getbuffer(), digest_size=16).hexdigest()
    content.write(_PREFIX + checksum.encode())
    with atomic_write(path) as temporary:
        temporary.write_bytes(content.getbuffer())
    return checksum


def load_state(path: Union[str, Path], checksum: Optional[str] = None) -> dict[str, Any]:
    """
    Load what `save_state` wrote, to the CPU.

    # Parameters

    path : `str`
    checksum : `str`, optional (default = `None`)
        Expected checksum, as `save_state` returned it.

    # Raises

    `ValueError` : see `read_checksum`; another checksum; or content that is not a state.
    """
    found = read_checksum(path)
    if checksum not in (None, found):
        raise ValueError(f"{path}: expected the checksum {checksum}, found {found}")
    try:
        check_entries(path)
        return torch.load(path, map_location="cpu", weights_only=True)
    except TORCH_FILE_ERRORS as error:
        raise ValueError(f"{path}: expected a checkpoint's file, found: {error}") from error


def read_checksum(path: Union[str, Path]) -> str:
    """
    Read the checksum of a file, and compare it with the content.

    # Raises

    `ValueError` : not a file of `save_state`, or a damaged one; names it.
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
    if found != _PREFIX + digest.hexdigest().encode():
        raise ValueError(
            f"{path}: expected a checkpoint's file, which ends with the checksum of its contents, "
            "found another file, or a damaged one"
        )
    return digest.hexdigest()
