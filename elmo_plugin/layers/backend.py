"""
Chooses the implementation that the layers run on, in this one place.

Each function is defined by plain operations: `lstm` in layers/lstm.py, `convolve` by the function
that it is given, `linear` by `torch.nn.functional.linear`, `sampled_cross_entropy` in
layers/sampled_cross_entropy.py. With numba installed, compiled loops compute them for float32 on
the CPU; otherwise faster PyTorch operations do. On GPUs, matrix products compute the convolutions,
Triton kernels the LSTM cells, and a few large operations the sampled softmax. Packing, unique words
and the word cache leave out repeated work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from elmo_plugin.layers import sampled_cross_entropy as plain_softmax
from elmo_plugin.layers.fast import softmax as fast_softmax
from elmo_plugin.layers.fast.compiled import COMPILED_PRECISIONS, can_compile
from elmo_plugin.layers.fast.convolution import convolve_by_matmul
from elmo_plugin.layers.fast.hooks import has_hooks
from elmo_plugin.layers.fast.linear import linear
from elmo_plugin.layers.fast.packing import Packing
from elmo_plugin.layers.fast.precision import in_precision, supports_matmul
from elmo_plugin.layers.fast.recurrence import recurrence
from elmo_plugin.layers.fast.triton import can_fuse
from elmo_plugin.layers.fast.unique_words import unique_words
from elmo_plugin.layers.fast.word_cache import WordCache
from elmo_plugin.layers.fast.word_lengths import apply_by_length
from elmo_plugin.layers.lstm import Clips, LstmState, LstmWeights
from elmo_plugin.layers.sampled_cross_entropy import Candidates

__all__ = [
    "Packing",
    "WordCache",
    "convolve",
    "linear",
    "lstm",
    "sampled_cross_entropy",
    "supports_matmul",
    "unique_words",
]


def lstm(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
    precision: torch.dtype | None = None,
) -> tuple[torch.Tensor, LstmState]:
    """Run both directions of a layer; see `layers.lstm` and `fast.recurrence`."""
    run: Callable[..., tuple[torch.Tensor, LstmState]] = recurrence
    precision = _available(precision, inputs.device)
    operands = precision or weights.recurrent.dtype
    if can_compile(inputs, weights.bias, *state) and operands in COMPILED_PRECISIONS:
        from elmo_plugin.layers.fast.compiled.recurrence import compiled_recurrence as run
    elif can_fuse(operands, inputs, weights.bias, *state):
        from elmo_plugin.layers.fast.triton.recurrence import fused_recurrence as run
    elif not supports_matmul(weights.recurrent.dtype, inputs.device):
        weights = in_precision(weights, weights.bias.dtype)
    return run(inputs, weights, state, batch_sizes, clips, precision)


def convolve(
    definition: Callable[[torch.Tensor], torch.Tensor],
    characters: torch.nn.Embedding,
    convolutions: Sequence[torch.nn.Conv1d],
    character_ids: torch.Tensor,
) -> torch.Tensor:
    """
    Apply character convolutions and take the maximum over positions. Modules with hooks are called,
    as those of `torch.nn.utils.prune`, which compute a weight.

    # Parameters

    definition : `Callable`
        Reference implementation, from character ids to the maxima.
    characters : `torch.nn.Embedding`
    convolutions : `Sequence[torch.nn.Conv1d]`
    character_ids : `torch.Tensor`
        Shape (words, characters).

    # Returns

    `torch.Tensor` : Shape (words, filters).
    """
    embedding = characters.weight
    is_hooked = any(map(has_hooks, (characters, *convolutions)))
    if can_compile(embedding) and not is_hooked:
        from elmo_plugin.layers.fast.compiled.convolution import convolve_and_max

        return convolve_and_max(character_ids, embedding, convolutions)
    if embedding.device.type != "cpu" and not is_hooked:
        return convolve_by_matmul(embedding, convolutions, character_ids)
    # Windows that see nothing but padding are all equal: one is enough.
    margin = max(module.kernel_size[0] for module in convolutions)
    return apply_by_length(definition, character_ids, margin)


def sampled_cross_entropy(
    candidates: Candidates, hits: torch.Tensor, precision: torch.dtype | None = None
) -> torch.Tensor:
    """Score targets against samples; see `layers.sampled_cross_entropy`."""
    run = plain_softmax.sampled_cross_entropy
    precision = _available(precision, candidates.hidden.device)
    if can_compile(*candidates) and precision in (None, *COMPILED_PRECISIONS):
        from elmo_plugin.layers.fast.compiled.softmax import sampled_cross_entropy as run
    elif candidates.hidden.is_cuda:
        run = fast_softmax.sampled_cross_entropy
    return run(candidates, hits, precision)


def _available(precision: torch.dtype | None, device: torch.device) -> torch.dtype | None:
    """Return a type of matrix operands, or `None` if the device does not multiply it."""
    return precision if precision is not None and supports_matmul(precision, device) else None
