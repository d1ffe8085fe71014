"""Untrained biLMs, the controls of trained ones."""

from __future__ import annotations

import torch

from elmo_plugin.layers.bilm import Bilm


def untrained_bilm(like: Bilm, seed: int) -> Bilm:
    """
    Return a frozen biLM of random weights, in evaluation mode. The global random state stays.

    # Parameters

    like : `Bilm`
        A biLM of the same sizes.
    seed : `int`
    """
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # `torch.manual_seed` also seeds all GPUs
        return Bilm(like.config).eval().requires_grad_(False)
