"""Converts between bilm-tf's options.json and `BilmConfig`."""

from __future__ import annotations

import json
import reprlib
from pathlib import Path
from typing import Any

from elmo_plugin.layers.char_ids import NUM_CHARACTERS
from elmo_plugin.layers.config import BilmConfig

# Keys in the options file of the parameters of `BilmConfig`.
_KEYS = {
    "filters": ("char_cnn", "filters"),
    "character_dim": ("char_cnn", "embedding", "dim"),
    "max_characters": ("char_cnn", "max_characters_per_token"),
    "num_highways": ("char_cnn", "n_highway"),
    "activation": ("char_cnn", "activation"),
    "projection_dim": ("lstm", "projection_dim"),
    "cell_dim": ("lstm", "dim"),
    "num_layers": ("lstm", "n_layers"),
    "cell_clip": ("lstm", "cell_clip"),
    "projection_clip": ("lstm", "proj_clip"),
    "residual": ("lstm", "use_skip_connections"),
}
_DEFAULTS = {"num_highways": 0, "cell_clip": None, "projection_clip": None, "residual": False}

_MAX_BYTES = 2**20

_CHARACTERS = ("char_cnn", "n_characters")
# bilm-tf counts the id of masked words at inference only; published files have either number.
_CHARACTER_COUNTS = (NUM_CHARACTERS - 1, NUM_CHARACTERS)


def read_options(options_file: str | Path) -> BilmConfig:
    """
    Read the sizes in a bilm-tf options file.

    # Raises

    `ValueError` : not JSON, or a key that is missing or has an invalid value; names the file and
    the key.
    `FileNotFoundError` : no such file.
    """
    if not Path(options_file).is_file():
        raise FileNotFoundError(f"{options_file}: expected an options file, found none")
    try:
        return _config(_read(Path(options_file)))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{options_file}: expected JSON, found: {error}") from error
    except ValueError as error:
        raise ValueError(f"{options_file}: {error}") from error


def write_options(config: BilmConfig, options_file: str | Path) -> None:
    """The inverse of `read_options`."""
    Path(options_file).write_text(json.dumps(_options(config), indent=2) + "\n", encoding="utf-8")


def _read(options_file: Path) -> Any:
    with options_file.open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"expected options of at most {_MAX_BYTES:,} bytes, found more")
    # Some editors put a byte order mark before UTF-8.
    text = content.decode("utf-8-sig")
    return json.loads(text, parse_constant=_refuse, object_pairs_hook=_object)


def _refuse(constant: str) -> None:
    raise ValueError(f"expected numbers, found {constant}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for key, value in pairs:
        if key in options:
            raise ValueError(f"expected each key once, found {reprlib.repr(key)} twice")
        options[key] = value
    return options


def _config(options: Any) -> BilmConfig:
    count = _value(options, _CHARACTERS)
    if count not in _CHARACTER_COUNTS:
        raise ValueError(
            f"{'.'.join(_CHARACTERS)}: expected one of {_CHARACTER_COUNTS}, "
            f"got {reprlib.repr(count)}"
        )
    values = {name: _value(options, keys, *_default(name)) for name, keys in _KEYS.items()}
    for clip in ("cell_clip", "projection_clip"):
        if values[clip] == 0 and values[clip] is not False:  # no bound, as if the key were missing
            values[clip] = None
    try:
        return BilmConfig(**values)
    except ValueError as error:
        name, _, problem = str(error).partition(": ")
        raise ValueError(f"{'.'.join(_KEYS[name])}: {problem}") from error


def _default(name: str) -> tuple[Any, ...]:
    return (_DEFAULTS[name],) if name in _DEFAULTS else ()


def _value(options: Any, keys: tuple[str, ...], *default: Any) -> Any:
    for key in keys:
        if not isinstance(options, dict) or key not in options:
            if default:
                return default[0]
            raise ValueError(f"expected the key {'.'.join(keys)}, found none")
        options = options[key]
    return options


def _options(config: BilmConfig) -> dict[str, Any]:
    options: dict[str, Any] = {"char_cnn": {"n_characters": NUM_CHARACTERS}}
    for name, (*sections, key) in _KEYS.items():
        inner = options
        for section in sections:
            inner = inner.setdefault(section, {})
        inner[key] = getattr(config, name)
    return options
