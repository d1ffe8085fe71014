"""Our weight files in simple_elmo, which is bilm-tf for current TensorFlow."""

from __future__ import annotations

import io
import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
import torch

from elmo_plugin.layers import BilmConfig, ScalarMix, batch_to_ids
from elmo_plugin.weights import load_bilm
from tests.helpers.bilm_files import SAME_SIZES, remove_projections
from tests.helpers.random_bilm import FULL, SENTENCES, SMALL, Files, random_bilm, save

pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests" / "reference" / "simple_elmo_vectors.py"
# `make test-tensorflow` makes this environment.
PYTHON = str(ROOT / ".venv-tensorflow" / "bin" / "python")

CONFIGS = {
    "clipped": SMALL,
    "free": replace(SMALL, cell_clip=None, projection_clip=None),
    "tanh": replace(SMALL, activation="tanh", num_highways=1, num_layers=3, max_characters=30),
    "not residual": replace(SMALL, residual=False, num_highways=0),
    "same sizes": SAME_SIZES,
    "full size": FULL,
    "published": BilmConfig(),
}


def _simple_elmo(files: Files, batch_size: int, layers: str) -> torch.Tensor:
    command = [PYTHON, str(SCRIPT), str(files.options.parent), str(batch_size), layers]
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1", "PYTHONPATH": ""}
    sentences = json.dumps(SENTENCES).encode()
    done = subprocess.run(command, input=sentences, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return torch.from_numpy(numpy.load(io.BytesIO(done.stdout))).float()


def _save(config: BilmConfig, directory: Path) -> Files:
    words = dict.fromkeys(word for sentence in SENTENCES[:2] for word in sentence)
    (directory / "vocab.txt").write_text("\n".join(["<S>", "</S>", "<UNK>", *words]))
    files = save(random_bilm(config), directory)
    if config is SAME_SIZES:
        remove_projections(files)
    return files


def _assert_close(found: torch.Tensor, expected: torch.Tensor, mask: torch.Tensor) -> None:
    torch.testing.assert_close(found[mask], expected[mask], atol=1e-5, rtol=0)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@torch.no_grad()
def test_every_layer(config: BilmConfig, tmp_path: Path) -> None:
    files = _save(config, tmp_path)
    output = load_bilm(*files)(batch_to_ids(SENTENCES, config.max_characters))
    # Shape: (batch, layers, tokens, dim)
    vectors = _simple_elmo(files, len(SENTENCES), "all")
    for found, expected in zip(output.layers, vectors.unbind(1)):
        _assert_close(found, expected, output.mask)


@torch.no_grad()
def test_carried_state(tmp_path: Path) -> None:
    files = _save(SMALL, tmp_path)
    vectors = _simple_elmo(files, 4, "all")
    bilm = load_bilm(*files, initial_state="carried")
    for start in range(0, len(SENTENCES), 4):
        output = bilm(batch_to_ids(SENTENCES[start : start + 4]))
        expected = vectors[start : start + 4, :, : output.mask.size(1)]
        for layer, layer_expected in zip(output.layers, expected.unbind(1)):
            _assert_close(layer, layer_expected, output.mask)


@pytest.mark.parametrize(("kind", "layers"), [("last", "top"), ("average", "average")])
@torch.no_grad()
def test_mixes(kind: str, layers: str, tmp_path: Path) -> None:
    files = _save(SMALL, tmp_path)
    output = load_bilm(*files)(batch_to_ids(SENTENCES))
    mixed = ScalarMix(3, kind)(output.layers, output.mask)  # type: ignore[arg-type]
    _assert_close(mixed, _simple_elmo(files, len(SENTENCES), layers), output.mask)
