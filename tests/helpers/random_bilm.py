"""biLMs with random weights, and unusual sentences."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import torch

from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.weights import save_bilm

SMALL = BilmConfig(
    filters=((1, 4), (2, 8), (3, 16)),
    character_dim=4,
    projection_dim=8,
    cell_dim=16,
    cell_clip=0.3,
    projection_clip=0.2,
)
"""Clips that random weights reach."""

FULL = BilmConfig(cell_clip=0.2, projection_clip=0.1)
"""The published sizes."""

SENTENCES = [
    ["The", "cat", "sat", "on", "the", "mat", "."],
    ["one"],
    ["한국어", "문장", "العربية", "नमस्ते", "🙂👩‍👩‍👧"],
    ["", " ", "\x00\x07\x7f\u200b", "lone\ud800surrogate", "\udfff", "\n"],
    ["x" * 47, "x" * 48, "x" * 49, "x" * 51, "漢" * 40, "y" * 10_000],
    ["<S>", "</S>", "the", "the", "the"],
]


class Files(NamedTuple):
    options: Path
    weights: Path


def random_bilm(config: BilmConfig = SMALL, seed: int = 0) -> Bilm:
    """A biLM without zero weights, biases included, so that no two can be confused."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        bilm = Bilm(config)
        for parameter in bilm.parameters():
            if not parameter.any():
                torch.nn.init.normal_(parameter, std=0.3)
    return bilm.eval()


def random_warm_bilm() -> Bilm:
    """A biLM with a warm state that is far from zero."""
    bilm = random_bilm()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        for state in (bilm.warm_hidden, bilm.warm_cell):
            torch.nn.init.normal_(state, std=0.1)
    return bilm


def save(bilm: Bilm, directory: Path) -> Files:
    files = Files(directory / "options.json", directory / "weights.hdf5")
    save_bilm(bilm, *files)
    return files


def random_words(count: int, seed: int = 0) -> list[str]:
    """Draw words with lengths as in English and beyond."""
    draw = random.Random(seed)
    lengths = [min(60, 1 + int(draw.expovariate(0.2))) for _ in range(count)]
    return ["".join(draw.choices("etaoinshrdlu", k=length)) for length in lengths]
