"""Checksums of files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

_BYTES_AT_ONCE = 1 << 20


def sha256_of(file: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return _digest(file, hashlib.sha256())


def blake2b_of(file: str | Path) -> str:
    """Return the 128-bit BLAKE2b hash of a file, in hexadecimal."""
    return _digest(file, hashlib.blake2b(digest_size=16))


def sha256_of_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def _digest(file: str | Path, digest: Any) -> str:
    with open(file, "rb") as content:
        while block := content.read(_BYTES_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()
