"""Damage to files of `torch.save`."""

from __future__ import annotations

import io
import os
import pickle
import random
from collections.abc import Callable
from typing import Any

import torch

from fuzzing.kind import MARKER


class _Payload:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {MARKER}",)


def damage_weights(rng: random.Random, data: bytes) -> bytes:
    """Change saved tensors, or replace the file by another pickle."""
    state = torch.load(io.BytesIO(data), weights_only=True)
    if not isinstance(state, dict) or not all(map(torch.is_tensor, state.values())):
        return rng.choice((pickle.dumps(_Payload()), _saved({"x": _Payload()})))
    name = rng.choice(list(state))
    tensor = state[name]
    changes: tuple[Callable[[], Any], ...] = (
        lambda: _set(tensor, float("nan"), rng),
        lambda: _set(tensor, float("inf"), rng),
        lambda: state.pop(name),
        lambda: state.update(extra=torch.zeros(2)),
        lambda: state.update({name: tensor[None]}),
        lambda: state.update({name: tensor.new_zeros(0)}),
        lambda: state.update({name: torch.zeros(3, 5)}),
        lambda: state.update({name: "text"}),
        lambda: state.update({name: None}),
        lambda: state.update({name: tensor.to(torch.complex64)}),
        lambda: state.update({name: tensor.to(torch.bool)}),
        lambda: state.update({name: tensor.to_sparse()}),
        lambda: state.update({name: torch.empty(tensor.shape, device="meta")}),
        lambda: state.update({3: tensor}),
    )
    if rng.random() < 0.3:
        return rng.choice(
            (
                pickle.dumps(_Payload()),
                _saved(_Payload()),
                _saved({name: _Payload()}),
                _saved([1, 2]),
                _saved(tensor),
                _saved({}),
                pickle.dumps(state, protocol=4)[:200],
                b"",
                data[: rng.randrange(len(data))],
            )
        )
    rng.choice(changes)()
    return _saved(state)


def _set(tensor: torch.Tensor, value: float, rng: random.Random) -> None:
    if tensor.is_floating_point() and tensor.numel():
        tensor.view(-1)[rng.randrange(tensor.numel())] = value


def _saved(content: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()
