"""Softmax and cross-entropy over sampled words, from scores to gradients in one pass."""

from __future__ import annotations

import numpy

from elmo_plugin.layers.fast.compiled.kernels.arithmetic import (
    compiled,
    exp,
    f32,
    load,
    vectorized,
    write,
)


@vectorized
def _add_bias(scores, bias, out):  # type: ignore[no-untyped-def]
    for k in range(out.shape[0]):
        out[k] = load(scores[k]) + bias[k]


@vectorized
def _maximum(x, start):  # type: ignore[no-untyped-def]
    best = start
    for k in range(x.shape[0]):
        best = max(best, x[k])
    return best


@vectorized
def _exp_in_place(x, shift):  # type: ignore[no-untyped-def]
    total = f32(0)
    for k in range(x.shape[0]):
        x[k] = exp(x[k] - shift)
        total += x[k]
    return total


@vectorized
def _scale(x, factor):  # type: ignore[no-untyped-def]
    for k in range(x.shape[0]):
        x[k] *= factor


@vectorized
def _add(x, out):  # type: ignore[no-untyped-def]
    for k in range(out.shape[0]):
        out[k] += x[k]


@compiled
def cross_entropy(  # type: ignore[no-untyped-def]
    scores, bias, target_scores, hits, factors, losses, grad_targets, grad_bias
):
    """
    Compute the losses of predictions and their gradients with respect to the scores.

    # Parameters

    scores : float32 or bfloat16, without bias; overwritten by their gradients. Shape
        (predictions, samples).
    bias : float32. Shape (samples,).
    target_scores : float32, of what is to be predicted. Shape (predictions,).
    hits : int64, which sample is a prediction's own target and does not count; -1 for none.
    factors : float32, by which a prediction's gradients are multiplied. Shape (predictions,).
    losses : float32, written: negative log-likelihoods. Shape (predictions,).
    grad_targets : float32, written: gradients of the target scores. Shape (predictions,).
    grad_bias : float32, to which the bias' gradient is added.
    """
    row = numpy.empty(bias.shape[0], numpy.float32)
    for n in range(scores.shape[0]):
        _add_bias(scores[n], bias, row)
        if hits[n] >= 0:
            row[hits[n]] = -numpy.inf
        target = target_scores[n]
        largest = _maximum(row, target)
        total = _exp_in_place(row, largest)
        if hits[n] >= 0:
            # exp of the compiled code is never quite zero.
            total -= row[hits[n]]
            row[hits[n]] = f32(0)
        target_exp = exp(target - largest)
        total += target_exp
        losses[n] = numpy.log(total) + largest - target
        grad_targets[n] = factors[n] * (target_exp / total - f32(1))
        _scale(row, factors[n] / total)
        write(row, scores[n])
        _add(row, grad_bias)
