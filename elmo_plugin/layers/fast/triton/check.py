"""Compares the kernels with torch's operations before they are used."""

from __future__ import annotations

import math
import warnings
from functools import cache
from subprocess import SubprocessError

import torch
import triton
from triton.compiler import CompilationError

from elmo_plugin.layers.fast.cell import TORCH_CELL, CellFunctions
from elmo_plugin.layers.fast.triton.cell import TRITON_CELL

# More columns than one program computes, and rows within a longer text.
_ROWS, _WORDS, _DIM = 3, 16, 528
# A bound that random values reach, and that every type represents.
_CLIP = 0.5
_TOLERANCES = {torch.float32: 1e-5, torch.bfloat16: 1e-2, torch.float16: 2e-3}

# Raised for a GPU that is too old, a missing C compiler, or a full disk.
_ERRORS = (
    *(CompilationError, getattr(triton, "TritonError", CompilationError)),
    *(ImportError, OSError, RuntimeError, SubprocessError),
)


@cache
def agrees(device: torch.device, matrix: torch.dtype) -> bool:
    """
    Return whether the kernels compile for a device and compute what torch's operations do; warn if
    not. Runs once per device and type.

    # Parameters

    matrix : `torch.dtype`
        Type of matrix operands.
    """
    with torch.inference_mode(False), torch.no_grad():
        expected = _results(TORCH_CELL, device, matrix)
        try:
            found = _results(TRITON_CELL, device, matrix)
        except torch.cuda.OutOfMemoryError:
            raise  # which says nothing about the kernels
        except _ERRORS as error:
            reason = f"they do not compile: {error}"
        else:
            tolerance = _TOLERANCES[matrix]
            pairs = zip(found, expected)
            if all(torch.allclose(a, b, tolerance, tolerance, equal_nan=True) for a, b in pairs):
                return True
            reason = "their results differ from those of torch's operations"
    warnings.warn(f"Triton's kernels are not used on {device}: {reason}", stacklevel=2)
    return False


def _results(
    functions: CellFunctions, device: torch.device, matrix: torch.dtype
) -> list[torch.Tensor]:
    """Apply each function to some rows of random tensors; return these tensors."""
    generator = torch.Generator().manual_seed(0)

    def activated(dtype: torch.dtype, num_parts: int = 1) -> torch.Tensor:
        values = torch.randn(2, _WORDS, num_parts * _DIM, generator=generator)
        return values.clamp(-_CLIP, _CLIP).to(device, dtype)

    def any_values(dtype: torch.dtype, num_parts: int = 1) -> torch.Tensor:
        values = torch.randn(2, _WORDS, num_parts * _DIM, generator=generator)
        values[0, _ROWS, 0] = math.nan
        return values.to(device, dtype)

    real = torch.float32
    forward = any_values(matrix, 4), activated(real), any_values(real), any_values(matrix)
    hidden = any_values(real), any_values(matrix), activated(matrix), any_values(matrix)
    backward = (
        *(any_values(matrix), activated(matrix, 4), activated(real), activated(real)),
        *(any_values(real), any_values(matrix, 4), any_values(matrix)),
    )
    arguments = forward, hidden, backward
    for function, tensors in zip(functions, arguments):
        function(*(t[:, _ROWS : 2 * _ROWS] for t in tensors), _CLIP)
    return [tensor for tensors in arguments for tensor in tensors]
