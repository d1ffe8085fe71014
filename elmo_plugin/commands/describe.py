"""Describes a file, directory or archive: what it holds."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from elmo_plugin.common.checksums import sha256_of
from elmo_plugin.common.downloads import local_path
from elmo_plugin.common.json_text import read_json
from elmo_plugin.embedding.open_vectors import holds_vectors, open_vectors
from elmo_plugin.experiments.intrinsic.index_files import DESCRIPTION, read_description
from elmo_plugin.layers import Bilm
from elmo_plugin.weights.language_model_files import load_language_model_files
from elmo_plugin.weights.resolve import LanguageModelFiles, is_archive, resolve

_METRICS = "metrics.json"


def needs_allennlp(path: str) -> bool:
    """Return True if AllenNLP has to read what the path holds; raises as `describe` does."""
    return not (_is_index(path) or holds_vectors(path)) and is_archive(path)


def describe(path: str) -> dict[str, Any]:
    """
    Describe a biLM, vectors, an index or a training run.

    # Parameters

    path : `str`
        A biLM in any form that `resolve` knows, vectors that `elmo embed` wrote, a corpus index, or
        the serialization directory of a training run.

    # Returns

    `Dict[str, Any]` : by name, as values that JSON can hold.

    # Raises

    `ValueError` : another kind of file, or a damaged one.
    `FileNotFoundError` : no such file or directory.
    """
    if _is_index(path):
        return {"kind": "corpus index", **read_description(path)}
    if holds_vectors(path):
        return _describe_vectors(path)
    source = resolve(path)
    if isinstance(source, LanguageModelFiles):
        return _describe_files(source)
    return _describe_training(source.path)


def _is_index(path: str) -> bool:
    return os.path.isfile(os.path.join(path, DESCRIPTION))


def _describe_vectors(path: str) -> dict[str, Any]:
    with open_vectors(path) as vectors:
        if not len(vectors):
            raise ValueError(f"{path}: expected vectors of at least one line, found none")
        first = vectors[0]
        return {
            "kind": "vectors",
            "format": vectors.format,
            "lines": len(vectors),
            "shape_of_first_line": list(first.shape),
            "dtype": str(first.dtype),
            **_files(path),
        }


def _describe_files(files: LanguageModelFiles) -> dict[str, Any]:
    weights = load_language_model_files(files)
    softmax = {} if weights.words is None else {"softmax_words": len(weights.words)}
    return {
        "kind": "biLM",
        **_describe_bilm(weights.bilm),
        "warm_state": bool(weights.bilm.warm_hidden.any()),
        **softmax,
        **_files(local_path(files.weights)),
    }


def _describe_training(path: str) -> dict[str, Any]:
    from elmo_plugin.compat.safety.archive_files import open_archive, read_config

    with open_archive(path) as directory:
        model = read_config(directory)["model"]
        metrics = Path(directory, _METRICS)
        found = {
            "kind": "trained model",
            "model": model["type"],
            **({"metrics": read_json(metrics)} if metrics.is_file() else {}),
        }
        if model["type"] == "bilm":
            from elmo_plugin.models.archives import load_archived_weights

            weights = load_archived_weights(directory)
            found |= _describe_bilm(weights.bilm)
            found["softmax_words"] = len(weights.words or [])
    return found | (_files(path) if os.path.isfile(path) else {})


def _describe_bilm(bilm: Bilm) -> dict[str, Any]:
    return {
        **asdict(bilm.config),
        "output_dim": bilm.output_dim,
        "layers_with_token_layer": bilm.mixture_size,
        "parameters": sum(parameter.numel() for parameter in bilm.parameters()),
    }


def _files(path: str) -> dict[str, Any]:
    paths = sorted(Path(path).glob("*.parquet")) if os.path.isdir(path) else [Path(path)]
    size = sum(file.stat().st_size for file in paths)
    if len(paths) > 1:
        return {"files": len(paths), "bytes": size}
    return {"bytes": size, "sha256": sha256_of(paths[0])}
