"""Compiles the Triton kernels for GPUs that need not be there; run with `python -m`."""

from __future__ import annotations

import inspect
from typing import Any

CAPABILITIES = (80, 90)
"""A100 and H100."""


def main() -> None:
    from elmo_plugin.layers.fast.triton import kernels

    for matrix in ("fp32", "bf16", "fp16"):
        real = "fp32"
        for kernel, types in (
            (kernels.cell_forward, (matrix, real, real, matrix)),
            (kernels.hidden_backward, (real, matrix, matrix, matrix)),
            (kernels.cell_backward, (matrix, matrix, real, real, real, matrix, matrix)),
        ):
            for capability in CAPABILITIES:
                print(
                    kernel.fn.__name__,
                    matrix,
                    capability,
                    compile_kernel(kernel, types, capability),
                )


def compile_kernel(kernel: Any, types: tuple[str, ...], capability: int) -> int:
    """Return the size of the machine code."""
    from triton import compile
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    tensors = iter(types)
    names = list(inspect.signature(kernel.fn).parameters)
    signature = {name: _type(name) or f"*{next(tensors)}" for name in names}
    source = ASTSource(kernel, signature, {(names.index("block"),): 512})
    return len(compile(source, target=GPUTarget("cuda", capability, 32)).asm["cubin"])


def _type(name: str) -> str | None:
    """Type of a number; None for a tensor."""
    if name.endswith("_stride"):
        return "i32"
    return {"block": "constexpr", "clip": "fp32", "dim": "i32"}.get(name)


if __name__ == "__main__":
    main()
