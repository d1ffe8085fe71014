"""Checksums of files."""

from __future__ import annotations

import hashlib
from pathlib import Path

_BYTES_AT_ONCE = 1 << 20


def sha256_of(file: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with open(file, "rb") as content:
        while block := content.read(_BYTES_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()


def sha256_of_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
