"""Faster updates of weights."""

import torch
from allennlp.training.optimizers import DenseSparseAdam


def takes_sparse_gradients(optimizer: torch.optim.Optimizer) -> bool:
    """
    Return whether to give an optimizer sparse gradients. Adagrad without weight decay gives the
    same weights as with dense ones. DenseSparseAdam and SparseAdam do not: they leave the moments
    of rows without a gradient unchanged.
    """
    if isinstance(optimizer, (DenseSparseAdam, torch.optim.SparseAdam)):
        return True
    decays = any(group.get("weight_decay") for group in optimizer.param_groups)
    return isinstance(optimizer, torch.optim.Adagrad) and not decays


def fuse(optimizer: torch.optim.Optimizer) -> None:
    """Have Adam update each weight in one pass over memory where torch can (2.4 and later)."""
    if isinstance(optimizer, torch.optim.Adam) and _has_fused_adam():
        for group in optimizer.param_groups:
            group.update(fused=True, foreach=False)


def _has_fused_adam() -> bool:
    weight = torch.nn.Parameter(torch.zeros(1))
    try:
        torch.optim.Adam([weight], fused=True)
    except (RuntimeError, TypeError):
        return False
    return True
