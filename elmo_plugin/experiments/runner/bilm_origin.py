"""The origin of a fine-tuned biLM: what it was trained from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.checksums import sha256_of_text
from elmo_plugin.common.downloads import local_path
from elmo_plugin.common.json_text import read_json
from elmo_plugin.experiments.runner.content_hash import content_hash
from elmo_plugin.weights.resolve import NAMES, TrainingArchive, resolve

_FILE = "origin.json"


def check_or_record_origin(
    run: Path, origin: Mapping[str, str], sources: Mapping[str, str]
) -> None:
    """
    Write the origin of a biLM beside the directory of its training if the training has not begun;
    otherwise, check it.

    # Parameters

    run : `Path`
    origin : `Mapping[str, str]`
        Hashes by name.
    sources : `Mapping[str, str]`
        The files that have been hashed, by name.

    # Raises

    `ConfigurationError` : the training has begun from files with other contents.
    """
    note = run.with_suffix(".origin.json")
    if not run.exists():
        _write(note, origin)
        return
    found = read_json(note) if note.exists() else None
    noted = found if isinstance(found, dict) else {}
    changed = [sources[name] for name in origin if noted.get(name) != origin[name]]
    if changed:
        raise ConfigurationError(
            f"{run}: expected a training on the present contents of {', '.join(changed)}, found "
            "one on other contents, or of a version before 0.3.0; give another directory (--runs)"
        )


def write_origin(folder: Path, origin: Mapping[str, str]) -> None:
    """Write the origin of the biLM in a directory, with the hashes of its files."""
    files = {name: content_hash(folder / name) for name in NAMES if (folder / name).exists()}
    _write(folder / _FILE, {"origin": dict(origin), "files": files})


def _write(path: Path, content: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def weights_hash(weights: Path) -> str:
    """
    Return the hash of a biLM's origin if `elmo fine-tuning` wrote it, and otherwise that of its
    weights. The same fine-tuning gives slightly different weights on another machine; by their
    hash, training runs that use them would not be found.

    # Raises

    `ConfigurationError` : other weights than those that the file with the origin belongs to.
    """
    origin = weights.with_name(_FILE)
    return _origin_hash(origin, [weights]) if origin.exists() else content_hash(weights)


def language_model_hash(path: str) -> str:
    """
    Return the hash of a trained biLM with its softmax and vocabulary, see `weights_hash`; `path` is
    what `resolve` takes.
    """
    files = resolve(path)
    if isinstance(files, TrainingArchive):
        return content_hash(local_path(files.path))
    names = (files.weights, files.options, files.softmax, files.vocabulary)
    parts = [Path(name) for name in names if name is not None]
    origin = parts[0].with_name(_FILE)
    if origin.exists():
        return _origin_hash(origin, parts)
    return sha256_of_text("".join(map(content_hash, parts)))


def _origin_hash(origin: Path, files: Sequence[Path]) -> str:
    found = read_json(origin)
    whole, recorded = (_dict_at(found, key) for key in ("origin", "files"))
    for file in files:
        current = content_hash(file)
        if not whole or recorded.get(file.name) != current:
            raise ConfigurationError(
                f"{origin}: {file.name}: expected {current}, the hash of the file, found "
                f"{recorded.get(file.name)}; run `elmo fine-tuning` again, or remove {_FILE}"
            )
    return sha256_of_text(json.dumps(whole, sort_keys=True))


def _dict_at(content: Any, key: str) -> dict[str, Any]:
    value = content.get(key) if isinstance(content, dict) else None
    return value if isinstance(value, dict) else {}
