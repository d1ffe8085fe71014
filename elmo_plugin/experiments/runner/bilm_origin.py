"""The origin of a fine-tuned biLM: what it was trained from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.checksums import sha256_of_text
from elmo_plugin.common.json_text import read_json
from elmo_plugin.experiments.runner.content_hash import content_hash
from elmo_plugin.weights.resolve import WEIGHTS, TrainingArchive, resolve

_FILE = "origin.json"


def check_or_note_origin(run: Path, origin: Mapping[str, str], sources: Mapping[str, str]) -> None:
    """
    Note the origin of a biLM beside the directory of its training, if the training has not begun;
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
    noted = read_json(note) if note.exists() else {}
    changed = [sources[name] for name in origin if noted.get(name) != origin[name]]
    if changed:
        raise ConfigurationError(
            f"{run}: expected a training on the present contents of {', '.join(changed)}, found "
            "one on other contents, or of a version before 0.3.0; give another directory (--runs)"
        )


def write_origin(folder: Path, origin: Mapping[str, str]) -> None:
    """Write the origin of the biLM in a folder, with the hash of its weights."""
    _write(folder / _FILE, {"origin": dict(origin), "weights": content_hash(folder / WEIGHTS)})


def _write(path: Path, content: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def weights_hash(weights: Path) -> str:
    """
    Return the hash of a biLM's origin, if `elmo fine-tuning` wrote it; otherwise, of its weights.
    Other machines round otherwise, so the same fine-tuning gives other weights there, by which the
    trainings that use them would not be found again.

    # Raises

    `ConfigurationError` : weights of another origin than the file beside them says.
    """
    file, current = weights.with_name(_FILE), content_hash(weights)
    if not file.exists():
        return current
    found = read_json(file)
    noted = found.get("weights") if isinstance(found, dict) else None
    if noted != current or not isinstance(found.get("origin"), dict):
        raise ConfigurationError(
            f"{file}: weights: expected {current}, the hash of {weights.name}, found {noted}; run "
            "`elmo fine-tuning` again, or remove the file"
        )
    return sha256_of_text(json.dumps(found["origin"], sort_keys=True))


def language_model_hash(path: str) -> str:
    """
    Return the hash of a trained biLM with its softmax and vocabulary; `path` is what `resolve`
    takes. One that `elmo fine-tuning` wrote counts by its origin.
    """
    files = resolve(path)
    if isinstance(files, TrainingArchive):
        return content_hash(files.path)
    weights = Path(files.weights)
    if weights.with_name(_FILE).exists():
        return weights_hash(weights)
    parts = (files.weights, files.options, files.softmax, files.vocabulary)
    return sha256_of_text("".join(content_hash(part) for part in parts if part is not None))
