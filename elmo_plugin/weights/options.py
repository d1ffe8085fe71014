"""bilm-tf's options.json and `BilmConfig`, either from the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from elmo_plugin.layers.characters import NUM_CHARACTERS
from elmo_plugin.layers.config import BilmConfig

# bilm-tf counts the masked word's id at inference only; published files have either number.
_CHARACTER_COUNTS = (NUM_CHARACTERS - 1, NUM_CHARACTERS)


def read_options(options_file: str | Path) -> BilmConfig:
    """
    The sizes in a bilm-tf options file.

    # Raises

    `ValueError` : the file is not JSON, or a key is missing or has a value that cannot be; names
    the file and the key.
    """
    try:
        options = json.loads(Path(options_file).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{options_file}: expected JSON, found: {error}") from error
    try:
        return _config(options)
    except KeyError as error:
        raise ValueError(f"{options_file}: expected the key {error.args[0]}, found none") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{options_file}: {error}") from error


def write_options(config: BilmConfig, options_file: str | Path) -> None:
    """The inverse of `read_options`."""
    Path(options_file).write_text(json.dumps(_options(config), indent=2) + "\n", encoding="utf-8")


def _config(options: dict[str, Any]) -> BilmConfig:
    count = _value(options, "char_cnn", "n_characters")
    if count not in _CHARACTER_COUNTS:
        raise ValueError(f"char_cnn.n_characters: expected one of {_CHARACTER_COUNTS}, got {count}")
    return BilmConfig(
        filters=_value(options, "char_cnn", "filters"),
        character_dim=_value(options, "char_cnn", "embedding", "dim"),
        max_characters=_value(options, "char_cnn", "max_characters_per_token"),
        num_highways=_value(options, "char_cnn", "n_highway"),
        activation=_value(options, "char_cnn", "activation"),
        projection_dim=_value(options, "lstm", "projection_dim"),
        cell_dim=_value(options, "lstm", "dim"),
        num_layers=_value(options, "lstm", "n_layers"),
        # 0 says no bound, as an absent key does
        cell_clip=_clip(options, "cell_clip"),
        projection_clip=_clip(options, "proj_clip"),
        residual=bool(options["lstm"].get("use_skip_connections", False)),
    )


def _value(options: Any, *keys: str) -> Any:
    path: tuple[str, ...] = ()
    for key in keys:
        path += (key,)
        if not isinstance(options, dict) or key not in options:
            raise KeyError(".".join(path))
        options = options[key]
    return options


def _clip(options: dict[str, Any], key: str) -> Any:
    return options["lstm"].get(key) or None


def _options(config: BilmConfig) -> dict[str, Any]:
    return {
        "char_cnn": {
            "activation": config.activation,
            "embedding": {"dim": config.character_dim},
            "filters": [list(pair) for pair in config.filters],
            "max_characters_per_token": config.max_characters,
            "n_characters": NUM_CHARACTERS,
            "n_highway": config.num_highways,
        },
        "lstm": {
            "cell_clip": config.cell_clip,
            "dim": config.cell_dim,
            "n_layers": config.num_layers,
            "proj_clip": config.projection_clip,
            "projection_dim": config.projection_dim,
            "use_skip_connections": config.residual,
        },
    }
