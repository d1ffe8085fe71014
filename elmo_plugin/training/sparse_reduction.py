"""Averages a sparse gradient over the processes of a distributed training, row by row."""

from __future__ import annotations

from typing import cast

import torch
from allennlp.models import Model
from allennlp.nn.parallel import DdpWrappedModel, TorchDdpAccelerator
from torch import distributed
from torch.nn.parallel import DistributedDataParallel


def wrap_without(wrapped: DdpWrappedModel, model: Model, name: str) -> DdpWrappedModel:
    """
    Wrap a model in DistributedDataParallel again, without one parameter, whose gradient
    `average_rows` averages.

    # Parameters

    wrapped : `DdpWrappedModel`
        The model as it is wrapped now, by `TorchDdpAccelerator`: all processes have its weights.
    model : `Model`
    name : `str`
        Name of the parameter.
    """
    before = cast(DistributedDataParallel, wrapped.model)
    DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(model, [name])
    accelerator = TorchDdpAccelerator(
        find_unused_parameters=before.find_unused_parameters,
        local_rank=wrapped.local_rank,
        world_size=wrapped.world_size,
        cuda_device=next(model.parameters()).device,
    )
    return accelerator.wrap_model(model)[1]


def average_rows(weight: torch.nn.Parameter) -> None:
    """Average a sparse gradient over all processes; only its stored rows are exchanged."""
    assert weight.grad is not None
    gradient = weight.grad.coalesce()
    world_size = distributed.get_world_size()
    rows = gradient.indices().squeeze(0)
    count = torch.tensor([len(rows)], device=rows.device)
    counts = [int(other) for other in _gather(count, world_size)]
    largest = max(counts)
    # In the order of the processes, so that all of them come to the same sums.
    all_rows = _gather(_pad(rows, largest), world_size)
    all_values = _gather(_pad(gradient.values(), largest), world_size)
    indices = torch.cat([part[:size] for part, size in zip(all_rows, counts)])
    values = torch.cat([part[:size] for part, size in zip(all_values, counts)])
    weight.grad = torch.sparse_coo_tensor(
        indices.unsqueeze(0), values / world_size, weight.shape, check_invariants=False
    ).coalesce()


def _gather(tensor: torch.Tensor, world_size: int) -> list[torch.Tensor]:
    parts = [torch.empty_like(tensor) for _ in range(world_size)]
    distributed.all_gather(parts, tensor)
    return parts


def _pad(tensor: torch.Tensor, size: int) -> torch.Tensor:
    """Gathered tensors have equal shapes."""
    return torch.cat([tensor, tensor.new_zeros(size - len(tensor), *tensor.shape[1:])])
