"""JSON files."""

from __future__ import annotations

import json
import math
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
    Parse JSON, and name its source in errors.

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


def to_json(content: Any, **options: Any) -> str:
    """
    Format as JSON. Numbers that are not finite, which JSON does not have, become null.

    # Parameters

    content : `Any`
    options : `Any`
        Options of `json.dumps`.
    """
    return json.dumps(_finite(content), allow_nan=False, **options)


def _finite(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content
