"""Decides whether a module's outputs may be cached."""

from __future__ import annotations

import torch

from elmo_plugin.layers.fast.hooks import has_hooks

_PACKAGES = ("elmo_plugin.layers.", "torch.nn.modules.", "torch.ao.nn.")


def is_cacheable(module: torch.nn.Module) -> bool:
    """
    Return True if a module's output depends on its input and on its parameters and buffers alone.
    Hooks may change the output, and so may modules of other packages and parametrizations,
    such as an adapter that can be switched off.
    """
    return all(map(_is_plain, module.modules()))


def _is_plain(module: torch.nn.Module) -> bool:
    return not has_hooks(module) and type(module).__module__.startswith(_PACKAGES)
