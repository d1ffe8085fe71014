"""One step of an LSTM's memory cell and its gradient, of torch operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch

sigmoid_backward = torch.ops.aten.sigmoid_backward
tanh_backward = torch.ops.aten.tanh_backward


class CellFunctions(NamedTuple):
    """
    An implementation of what a step computes element by element. Each function has the parameters
    of its namesake below; all tensors have shape (2, rows, dim), `gates` and its gradient
    (2, rows, 4 * dim).
    """

    cell_forward: Callable[..., None]
    hidden_backward: Callable[..., None]
    cell_backward: Callable[..., None]


def cell_forward(
    gates: torch.Tensor,
    previous: torch.Tensor,
    cell: torch.Tensor,
    output: torch.Tensor,
    clip: float | None,
) -> None:
    """
    Compute a step's gates, memory cell and output, in place.

    # Parameters

    gates : `torch.Tensor`
        Sums; activated in place. The forget bias is included.
    previous : `torch.Tensor`
        Cell of the step before.
    cell : `torch.Tensor`
        Written: the clipped cell.
    output : `torch.Tensor`
        Written: o * tanh(cell).
    clip : `float`, optional
    """
    activated = gates.to(cell.dtype)
    i, g, f, o = activated.chunk(4, dim=-1)
    i.sigmoid_()
    g.tanh_()
    f.sigmoid_()
    o.sigmoid_()
    if activated is not gates:
        gates.copy_(activated)
    torch.mul(f, previous, out=cell).addcmul_(i, g)
    if clip is not None:
        cell.clamp_(-clip, clip)
    output.copy_(cell.tanh().mul_(o))


def hidden_backward(
    grad_outputs: torch.Tensor,
    later: torch.Tensor,
    hidden: torch.Tensor,
    grad_hidden: torch.Tensor,
    clip: float | None,
) -> None:
    """
    Compute the gradient of a step's output before its clip, in place.

    # Parameters

    grad_outputs, later : `torch.Tensor`
        Gradients of the step's output, and of its use in the next step.
    hidden : `torch.Tensor`
        Clipped.
    grad_hidden : `torch.Tensor`
        Written: gradient before the clip.
    clip : `float`, optional
    """
    gradient = grad_outputs + later
    grad_hidden.copy_(_clip_backward(gradient, hidden.to(gradient.dtype), clip))


def cell_backward(
    grad_output: torch.Tensor,
    gates: torch.Tensor,
    cell: torch.Tensor,
    previous: torch.Tensor,
    grad_cell: torch.Tensor,
    grad_gates: torch.Tensor,
    output: torch.Tensor,
    clip: float | None,
) -> None:
    """
    Compute the gradients of a step's gates and memory cell, in place.

    # Parameters

    grad_output : `torch.Tensor`
        Gradient of o * tanh(cell).
    gates, cell : `torch.Tensor`
        Activated; clipped.
    previous : `torch.Tensor`
        Cell of the step before.
    grad_cell : `torch.Tensor`
        Gradient of the cell from the next step; overwritten with that for the step before.
    grad_gates : `torch.Tensor`
        Written: gradient before activation.
    output : `torch.Tensor`
        Written: o * tanh(cell), which the projection's gradient needs.
    clip : `float`, optional
    """
    i, g, f, o = gates.to(cell.dtype).chunk(4, dim=-1)
    tanh_cell = cell.tanh()
    gradient = tanh_backward(grad_output * o, tanh_cell).add_(grad_cell)
    gradient = _clip_backward(gradient, cell, clip)

    grad_i, grad_g, grad_f, grad_o = grad_gates.chunk(4, dim=-1)
    grad_i.copy_(sigmoid_backward(gradient * g, i))
    grad_g.copy_(tanh_backward(gradient * i, g))
    grad_f.copy_(sigmoid_backward(gradient * previous, f))
    grad_o.copy_(sigmoid_backward(grad_output * tanh_cell, o))
    output.copy_(tanh_cell.mul_(o))
    torch.mul(gradient, f, out=grad_cell)


def _clip_backward(
    gradient: torch.Tensor, clipped: torch.Tensor, clip: float | None
) -> torch.Tensor:
    # A value at its bound has been clipped: no gradient passes.
    if clip is None:
        return gradient
    return torch.ops.aten.hardtanh_backward(gradient, clipped, -clip, clip)


TORCH_CELL = CellFunctions(cell_forward, hidden_backward, cell_backward)
