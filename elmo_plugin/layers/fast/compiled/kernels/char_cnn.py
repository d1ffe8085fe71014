"""The maximum over positions of sums of table rows: a convolution over few characters."""

from __future__ import annotations

import numpy

from elmo_plugin.layers.fast.compiled.kernels.arithmetic import compiled, vectorized


@vectorized
def _copy(x, out):  # type: ignore[no-untyped-def]
    for k in range(out.shape[0]):
        out[k] = x[k]


@vectorized
def _add_rows(x, y, out):  # type: ignore[no-untyped-def]
    for k in range(out.shape[0]):
        out[k] = x[k] + y[k]


@vectorized
def _add_two(x, y, out):  # type: ignore[no-untyped-def]
    for k in range(out.shape[0]):
        out[k] += x[k] + y[k]


@vectorized
def _add(x, out):  # type: ignore[no-untyped-def]
    for k in range(out.shape[0]):
        out[k] += x[k]


@vectorized
def _keep_larger(x, position, best, where):  # type: ignore[no-untyped-def]
    for k in range(best.shape[0]):
        # NaN is kept, so that it shows.
        better = (x[k] > best[k]) | (x[k] != x[k])
        where[k] = position if better else where[k]
        best[k] = x[k] if better else best[k]


@compiled
def lookup_max(table, words, lengths, best, where):  # type: ignore[no-untyped-def]
    """
    For each word and filter, the largest sum over j of `table[j, word[p + j]]` and its position p.

    # Parameters

    table : float32. Shape (width, characters, filters).
    words : int32, character ids. Shape (words, characters).
    lengths : int64, of each word without its padding. All windows behind it are equal, so that one
        is enough.
    best : float32, written. Shape (words, filters).
    where : int16, written. Shape (words, filters).
    """
    width, _, filters = table.shape
    total = numpy.empty(filters, numpy.float32)
    for n in range(words.shape[0]):
        word = words[n]
        for p in range(min(lengths[n], words.shape[1] - width) + 1):
            if width == 1:
                _copy(table[0, word[p]], total)
            else:
                _add_rows(table[0, word[p]], table[1, word[p + 1]], total)
            for j in range(2, width - 1, 2):
                _add_two(table[j, word[p + j]], table[j + 1, word[p + j + 1]], total)
            if width > 2 and width % 2:
                _add(table[width - 1, word[p + width - 1]], total)
            if p == 0:
                _copy(total, best[n])
                where[n] = 0
            else:
                _keep_larger(total, numpy.int16(p), best[n], where[n])


@compiled
def lookup_max_backward(grad, words, where, grad_table):  # type: ignore[no-untyped-def]
    """Add the gradient of `lookup_max` with respect to its table to `grad_table`."""
    width, _, filters = grad_table.shape
    for n in range(words.shape[0]):
        word = words[n]
        for j in range(width):
            rows = grad_table[j]
            for k in range(filters):
                rows[word[where[n, k] + j], k] += grad[n, k]
