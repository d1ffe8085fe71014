"""Modules with forward hooks."""

from __future__ import annotations

import torch

_CHECKS = "allennlp.confidence_checks."


def has_hooks(module: torch.nn.Module) -> bool:
    """
    Return True if a module has hooks before or after its forward pass. AllenNLP's check of
    normalization layers, which hooks every module in the first batch of a training run, does not
    count: it changes nothing, and a resumed run must compute the same as an uninterrupted one.
    """
    hooks = (*module._forward_pre_hooks.values(), *module._forward_hooks.values())
    return not all(str(hook.__module__).startswith(_CHECKS) for hook in hooks)
