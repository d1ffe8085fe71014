"""`elmo --version`."""

from __future__ import annotations

import platform
from importlib import metadata

from elmo_plugin import __version__


def versions() -> str:
    """Return the versions of this package and what it runs on, one per line."""
    found = {"elmo_plugin": __version__}
    for name in ("allennlp", "allennlp-models", "torch"):
        found[name] = _installed(name)
    found["Python"] = platform.python_version()
    return "\n".join(f"{name} {version}" for name, version in found.items())


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
