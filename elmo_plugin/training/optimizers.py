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
    """Have Adam update each weight in one pass over memory."""
    if isinstance(optimizer, torch.optim.Adam):
        for group in optimizer.param_groups:
            group.update(fused=True, foreach=False)
