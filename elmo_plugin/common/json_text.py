"""JSON files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_json(file: str | Path) -> Any:
    """
    The content of a file.

    # Raises

    `ValueError` : not JSON; names the file.
    `OSError` : the file cannot be read.
    """
    return parse_json(Path(file).read_bytes(), str(file))


def parse_json(text: str | bytes, source: str) -> Any:
    """
    # Parameters

    text : `str` or `bytes`
    source : `str`
        Named in the error.

    # Raises

    `ValueError` : not JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{source}: expected JSON, found: {error}") from error
