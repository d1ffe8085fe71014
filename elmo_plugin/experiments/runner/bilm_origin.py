"""The origin of a fine-tuned biLM: what it was trained from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.json_text import read_json
from elmo_plugin.experiments.runner.content_hash import content_hash
from elmo_plugin.weights.resolve import WEIGHTS

Origin = dict[str, str]

_FILE = "origin.json"
_RECIPE = "1"
"""Part of every origin. Raise it with a change of `elmo fine-tuning` that changes its biLMs by more
than rounding."""


def check_or_note_origin(run: Path, files: Mapping[str, Path]) -> Origin:
    """
    Return the origin of a biLM, the hashes of the files that it is trained from. Note it beside the
    directory of a training that begins; check that of one that has begun.

    # Raises

    `ConfigurationError` : the training has begun from files with other contents.
    """
    current = {"recipe": _RECIPE, **{name: content_hash(file) for name, file in files.items()}}
    note = run.with_suffix(".origin.json")
    if not run.exists():
        run.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(note) as file:
            file.write_text(json.dumps(current, indent=1) + "\n", encoding="utf-8")
        return current
    noted = read_json(note) if note.exists() else {}
    changed = [str(files.get(name, name)) for name in current if noted.get(name) != current[name]]
    if changed:
        raise ConfigurationError(
            f"{run}: expected a training on the present contents of {', '.join(changed)}, found "
            "one on other contents, or of a version before 0.3.0; give another directory (--runs)"
        )
    return current


def write_origin(folder: Path, origin: Origin) -> None:
    """Write the origin of the biLM in a folder, with the hash of its weights."""
    content = {"origin": origin, "weights": content_hash(folder / WEIGHTS)}
    with atomic_write(folder / _FILE) as file:
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
    return hashlib.sha256(json.dumps(found["origin"], sort_keys=True).encode()).hexdigest()
