"""Fingerprints of training runs, by which finished ones are found again."""

from __future__ import annotations

import glob
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from elmo_plugin.common.configuration_objects import ELMO_EMBEDDERS
from elmo_plugin.experiments.runner.bilm_origin import weights_hash
from elmo_plugin.experiments.runner.configurations import Configuration, bilm_weight_files
from elmo_plugin.experiments.runner.content_hash import content_hash
from elmo_plugin.weights.resolve import BUILT_IN, BUILT_IN_FOLDER, WEIGHTS

# Our subclasses are AllenNLP's models with another default predictor and options of their own.
_ALLENNLP_MODELS = {"elmo_srl": "srl", "elmo_crf_tagger": "crf_tagger", "elmo_esim": "esim"}


SCORING_VERSION = 2
"""Part of every fingerprint. Raise it with a change of the code that can change the score of a
training, so that stored training runs are repeated."""


def fingerprint(config: Configuration) -> str:
    """
    Hash a configuration together with the contents of the files that it names, wherever these are,
    and the version of the code. A biLM that `elmo fine-tuning` wrote counts by its origin, see
    `weights_hash`. Settings that do not affect the outcome are left out, such as those of
    checkpoints.
    """
    digest = hashlib.sha256(f"version {SCORING_VERSION}".encode())
    trained = _with_allennlps_model(_without_test_part(_without_checkpoints(config)))
    content = json.loads(json.dumps(trained), object_hook=_with_contents)
    digest.update(json.dumps(content, sort_keys=True).encode())
    if BUILT_IN in bilm_weight_files(config):
        digest.update(content_hash(BUILT_IN_FOLDER / WEIGHTS).encode())
    return digest.hexdigest()


def _without_checkpoints(config: Configuration) -> Configuration:
    trainer = dict(config.get("trainer", {}))
    trainer.pop("checkpointer", None)
    if trainer.get("type") == "resumable":
        del trainer["type"]
    return {**config, "trainer": trainer}


def _without_test_part(config: Configuration) -> Configuration:
    """Leave out the path of the test part, which training does not read."""
    return {key: value for key, value in config.items() if key != "test_data_path"}


def _with_allennlps_model(config: Configuration) -> Configuration:
    model = config["model"]
    if model.get("type") not in _ALLENNLP_MODELS:
        return config
    return {**config, "model": {**model, "type": _ALLENNLP_MODELS[model["type"]]}}


def _with_contents(item: dict[str, Any]) -> dict[str, Any]:
    """Replace each path by the hash of what it names, and leave out the size of a cache."""
    hashed = {key: _with_content(key, value) for key, value in item.items()}
    if item.get("type") in ELMO_EMBEDDERS:
        hashed.pop("cache_gigabytes", None)
    return hashed


def _with_content(key: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_with_content("", part) for part in value]
    return _hash(key, value) if _is_path(key, value) else value


def _hash(key: str, value: str) -> str:
    files, member = named_files(value)
    if key == "weight_file":
        return weights_hash(Path(files[0]))
    return ",".join(map(content_hash, files)) + member


def _is_path(key: str, value: Any) -> bool:
    if not isinstance(value, str) or not value:
        return False
    if key.endswith(("_path", "_file")) or key == "directory":
        return bool(named_files(value)[0])
    # A word such as "adam" may also be the name of a file in the working directory, and a delimiter
    # such as "/" that of a directory.
    return os.sep in value and Path(value).is_file()


def named_files(value: str) -> tuple[list[str], str]:
    """
    Return the files that a value names and, for `archive!member`, "!member". Expands `~` and
    patterns, as AllenNLP and its readers do.
    """
    if Path(value).exists():
        return [value], ""
    path, mark, member = value.partition("!")
    return sorted(glob.glob(os.path.expanduser(path))), mark + member
