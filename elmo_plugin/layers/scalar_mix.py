"""The task-specific weighting of biLM layers (equation 1)."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Literal, Union

import torch

MixKind = Union[Literal["weighted", "last", "average"], int]
LayerNorm = Union[bool, Literal["batch"]]

_EPSILON = 1e-12


class ScalarMix(torch.nn.Module):
    """
    Computes `gamma * sum_j s_j h_j` with `s = softmax(w)`. With another mix than "weighted", the
    weights are fixed and only gamma is learned.

    # Parameters

    mixture_size : `int`
        Number of layers, the token layer included.
    mix : `str` or `int`, optional (default = `"weighted"`)
        "weighted": learn w. "last": the top layer. "average": all layers equally. A number: that
        layer, 0 for the token layer.
    do_layer_norm : `bool` or `str`, optional (default = `False`)
        Normalize each layer of each sentence to mean 0 and variance 1 over its tokens and
        dimensions before weighting. A sentence's statistics do not depend on the rest of the batch.
        "batch": normalize over all tokens of the batch, as bilm-tf does; AllenNLP does so too, with
        sentence boundaries.
    initial_scalar_parameters : `Sequence[float]`, optional (default = `None`)
        Initial w; zeros, which weight all layers equally, if `None`. Only for "weighted".
    trainable : `bool`, optional (default = `True`)
        Learn w and gamma.
    train_gamma : `bool`, optional (default = `True`)
        Learn gamma, if the mix is trainable; otherwise it stays 1.

    # Raises

    `ValueError` : an unknown mix or layer, or a wrong number of parameters; in `forward`, of
    layers.
    """

    def __init__(
        self,
        mixture_size: int,
        mix: MixKind = "weighted",
        do_layer_norm: LayerNorm = False,
        initial_scalar_parameters: Sequence[float] | None = None,
        trainable: bool = True,
        train_gamma: bool = True,
    ) -> None:
        super().__init__()
        if do_layer_norm not in (False, True, "batch"):
            raise ValueError(f"do_layer_norm: expected false, true or batch, got {do_layer_norm!r}")
        self.mixture_size = mixture_size
        self.reads_token_layer_only = mix == 0 and not isinstance(mix, bool)
        """True if all other layers have weight 0."""
        self.do_layer_norm = do_layer_norm
        self.gamma = torch.nn.Parameter(torch.ones(1), requires_grad=trainable and train_gamma)
        if mix == "weighted":
            if initial_scalar_parameters is None:
                initial_scalar_parameters = [0.0] * mixture_size
            initial = torch.tensor(list(initial_scalar_parameters))
            if len(initial) != mixture_size:
                raise ValueError(
                    f"scalar mix parameters: expected {mixture_size}, one per layer, got "
                    f"{len(initial)}"
                )
            if not torch.softmax(initial.float(), dim=0).isfinite().all():
                raise ValueError(
                    "scalar mix parameters: expected numbers of float32 with a softmax, got "
                    f"{list(initial_scalar_parameters)}"
                )
            initial = initial.to(torch.get_default_dtype())
            self.scalar_parameters = torch.nn.Parameter(initial, requires_grad=trainable)
        else:
            if initial_scalar_parameters is not None:
                raise ValueError(f"scalar mix parameters: expected none with mix {mix!r}, got some")
            self.register_parameter("scalar_parameters", None)
            self.register_buffer("fixed_weights", _fixed_weights(mix, mixture_size))

    def weights(self) -> torch.Tensor:
        """The normalized s_j. Shape (mixture_size,)."""
        if self.scalar_parameters is None:
            return self.fixed_weights
        return torch.softmax(self.scalar_parameters, dim=0)

    def forward(self, layers: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Return the weighted sum of the layers (equation 1).

        # Parameters

        layers : `torch.Tensor`
            Zero at masked positions, as in `BilmOutput`. Shape (mixture_size, batch, tokens, dim).
        mask : `torch.Tensor`
            True where there is a token. Shape (batch, tokens).

        # Returns

        `torch.Tensor` : zero at masked positions. Shape (batch, tokens, dim).
        """
        if len(layers) != self.mixture_size:
            raise ValueError(f"layers: expected {self.mixture_size}, got {len(layers)}")
        if self.do_layer_norm:
            layers = _normalize(layers, mask, whole_batch=self.do_layer_norm == "batch")
        weights = self.weights()
        # Errors of a lower precision would exceed small gradients of w, so autocast stops here.
        with torch.autocast(layers.device.type, enabled=False):
            return self.gamma * torch.tensordot(weights, layers.to(weights.dtype), dims=1)


def _fixed_weights(mix: MixKind, mixture_size: int) -> torch.Tensor:
    if mix == "average":
        return torch.full((mixture_size,), 1.0 / mixture_size)
    layer = mixture_size - 1 if mix == "last" else mix
    if isinstance(layer, bool) or not isinstance(layer, Integral):
        raise ValueError(f"mix: expected weighted, last, average or a layer, got {mix!r}")
    if not 0 <= layer < mixture_size:
        raise ValueError(f"mix: expected a layer from 0 to {mixture_size - 1}, got {layer}")
    weights = torch.nn.functional.one_hot(torch.tensor(layer), mixture_size)
    return weights.to(torch.get_default_dtype())


def _normalize(layers: torch.Tensor, mask: torch.Tensor, whole_batch: bool) -> torch.Tensor:
    # In float16, epsilon is 0 and the number of values is too large.
    dtype = layers.dtype
    layers = layers.to(torch.promote_types(dtype, torch.float32))
    dims = (1, 2, 3) if whole_batch else (2, 3)
    # Shape: (1, batch, tokens, 1)
    used = mask[None, ..., None].to(layers.dtype)
    # Shape: (1, 1 or batch, 1, 1)
    num_values = (used.sum(dims, keepdim=True) * layers.size(-1)).clamp(min=1.0)
    mean = (layers * used).sum(dims, keepdim=True) / num_values
    centered = (layers - mean) * used
    variance = centered.square().sum(dims, keepdim=True) / num_values
    return (centered / torch.sqrt(variance + _EPSILON)).to(dtype)
