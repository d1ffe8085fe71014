"""Ways in which the weights of a frozen biLM can change."""

from __future__ import annotations

from collections.abc import Callable

import torch

from elmo_plugin.layers import Bilm, batch_to_ids
from tests.helpers.random_bilm import SENTENCES, random_bilm


def train_a_step(bilm: Bilm) -> None:
    optimizer = torch.optim.SGD(bilm.requires_grad_(True).parameters(), lr=0.1)
    bilm(batch_to_ids(SENTENCES)).layers.square().sum().backward()
    optimizer.step()
    bilm.requires_grad_(False)


def train_a_step_uncounted(bilm: Bilm) -> None:
    # As AllenNLP's DenseSparseAdam and moving averages do; PyTorch counts no change.
    bilm.requires_grad_(True)
    bilm(batch_to_ids(SENTENCES))
    for parameter in bilm.parameters():
        parameter.data.mul_(0.5)
    bilm.requires_grad_(False)


def round_to_float16(bilm: Bilm) -> None:
    bilm.half().float()


def write_through_numpy(bilm: Bilm) -> None:
    for parameter in bilm.parameters():
        parameter.numpy()[:] *= 2  # shares the memory; PyTorch counts no change


CHANGES: dict[str, Callable[[Bilm], object]] = {
    "training": train_a_step,
    "training uncounted": train_a_step_uncounted,
    "loading": lambda bilm: bilm.load_state_dict(random_bilm(seed=1).state_dict()),
    "assigning": lambda bilm: bilm.load_state_dict(random_bilm(seed=1).state_dict(), assign=True),
    "initializing": lambda bilm: torch.nn.init.normal_(bilm.token_encoder.projection.bias),
    "rounding": round_to_float16,
    "scaling data": lambda bilm: [p.data.mul_(0.5) for p in bilm.parameters()],
    "writing through NumPy": write_through_numpy,
}
