"""
A device without hardware: its tensors are computed on the CPU, but PyTorch takes them for another
device's. As on a GPU, an operation on tensors of both devices is an error, and so is `numpy()`.

Registers the device with PyTorch for the rest of the process.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

# PyTorch 2.9 and later.
from torch.utils.backend_registration import (
    _DummyBackendModule,
    _setup_privateuseone_for_python_backend,
)


class _Backend(_DummyBackendModule):
    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]


_setup_privateuseone_for_python_backend("simulated", _Backend())
DEVICE = torch.device("simulated", 0)


class SimulatedTensor(torch.Tensor):
    """A tensor of the device, which holds one on the CPU."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, held: torch.Tensor) -> SimulatedTensor:
        return torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=DEVICE,
        )

    def __init__(self, held: torch.Tensor) -> None:
        self.held = held

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _run(function, args, kwargs or {})

    # PyTorch refuses these for subclasses.
    def tolist(self) -> Any:
        return self.held.tolist()

    def data_ptr(self) -> int:
        return self.held.data_ptr()

    def numpy(self, *, force: bool = False) -> Any:
        raise TypeError(f"can't convert a tensor of {DEVICE} to numpy")

    __array__ = numpy  # type: ignore[assignment]


class SimulatedDevice(TorchDispatchMode):
    """Tensors may be moved to `DEVICE`, and created there."""

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _run(function, args, kwargs or {})


def _run(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    simulated = [tensor for tensor in tensors if isinstance(tensor, SimulatedTensor)]
    is_copy = function is torch.ops.aten.copy_.default
    if kwargs.get("device") is not None:
        on_device = kwargs["device"] == DEVICE
        kwargs = {**kwargs, "device": torch.device("cpu")}
    else:
        on_device = isinstance(args[0], SimulatedTensor) if is_copy else bool(simulated)
        # A GPU takes numbers, of no dimensions, from the CPU.
        others = [t for t in tensors if t.dim() and not isinstance(t, SimulatedTensor)]
        if simulated and others and not is_copy:
            shapes = [(tuple(t.shape), str(t.device)) for t in tensors]
            raise RuntimeError(f"{function}: expected all tensors on one device, got {shapes}")
    args, kwargs = tree_map_only(SimulatedTensor, lambda t: t.held, (args, kwargs))
    result = function(*args, **kwargs)
    if not on_device:
        return result
    # What is changed in place stays the same tensor.
    known = {id(tensor.held): tensor for tensor in simulated}
    return tree_map_only(
        torch.Tensor, lambda t: known[id(t)] if id(t) in known else SimulatedTensor(t), result
    )


def _empty_strided(size: Any, stride: Any, *, dtype: Any = None, **options: Any) -> torch.Tensor:
    return SimulatedTensor(torch.empty_strided(size, stride, dtype=dtype))


def _copy(self: torch.Tensor, source: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    return _run(torch.ops.aten.copy_.default, (self, source), {})


# For functions that create tensors without asking modes, such as `torch.tensor`.
_LIBRARY = torch.library.Library("aten", "IMPL")
_LIBRARY.impl("empty_strided", _empty_strided, "PrivateUse1")
_LIBRARY.impl("copy_", _copy, "PrivateUse1")
