"""The import callback of Jsonnet configurations."""

import codecs
import os
from pathlib import Path

_CONFIGS = "training_configs"
_PACKAGE = Path(__file__).resolve().parents[1]


def read_import(folder: str, name: str) -> tuple[str, bytes]:
    """
    Read what a Jsonnet file imports. Jsonnet's own reader ends the process at a directory.

    A name that starts with `training_configs/` falls back to the configurations that are installed
    with this package, so that it can be imported from any directory.

    # Parameters

    folder : `str`
        The directory of the importing file.
    name : `str`
        The imported path, as written.

    # Returns

    `Tuple[str, bytes]` : the path that was read, and its content without a byte order mark.
    """
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        path = installed_path(name) or path
    with open(path, "rb") as file:
        return path, file.read().removeprefix(codecs.BOM_UTF8)


def installed_path(name: str) -> str | None:
    """Return the path of a configuration that is installed with this package, for a name that
    starts with `training_configs/`; otherwise, None."""
    return os.path.join(_configs_root(), name) if name.startswith(f"{_CONFIGS}/") else None


def _configs_root() -> Path:
    """Return the directory that holds `training_configs`: the package in a wheel, else the
    repository."""
    return _PACKAGE if (_PACKAGE / _CONFIGS).is_dir() else _PACKAGE.parent
