"""Hashes of what files contain."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Union

from elmo_plugin.common.checksums import sha256_of


def content_hash(path: Union[str, Path]) -> str:
    """
    Hash the content of a file, or of all files in a directory; `~` is expanded. Of several files,
    the names count too, by which readers choose.
    """
    path = Path(path).expanduser()
    files = sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        status = file.stat()
        digest.update(_file_hash(file, status.st_size, status.st_mtime_ns))
        if len(files) > 1:
            digest.update(str(file.relative_to(path)).encode())
    return digest.hexdigest()


@cache
def _file_hash(file: Path, size: int, modified: int) -> bytes:
    # Large word vectors are part of every training of a table.
    return bytes.fromhex(sha256_of(file))
