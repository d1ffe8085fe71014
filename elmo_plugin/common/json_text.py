"""JSON that was written by others."""

import json
from pathlib import Path
from typing import Any, Union

from allennlp.common.checks import ConfigurationError


def read_json(file: Union[str, Path]) -> Any:
    """
    The content of a file.

    # Raises

    `ConfigurationError` : not JSON; names the file.
    `OSError` : as it says.
    """
    return parse_json(Path(file).read_bytes(), str(file))


def parse_json(text: Union[str, bytes], source: str) -> Any:
    """
    # Parameters

    text : `str` or `bytes`
    source : `str`
        Where it comes from, for the error.

    # Raises

    `ConfigurationError` : not JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{source}: expected JSON, found: {error}") from error
