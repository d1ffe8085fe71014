"""Groups words of similar length, so that little padding is computed."""

from __future__ import annotations

from collections.abc import Callable

import torch

from elmo_plugin.layers.char_ids import PADDING_ID

# Bounds of the groups, in characters with both boundaries of a word.
_LENGTHS = (7, 10, 14, 22)


def apply_by_length(
    function: Callable[[torch.Tensor], torch.Tensor], character_ids: torch.Tensor, margin: int
) -> torch.Tensor:
    """
    Apply a function of each word alone, such as convolutions and their maximum, to words cut to
    about their length.

    # Parameters

    function : `Callable`
        From (words, characters) to (words, dim). More than `margin` positions of padding after a
        word must not change the result.
    character_ids : `torch.Tensor`
        Shape (words, characters).
    margin : `int`
        Positions of padding that are kept after a word: the width of the widest filter, as windows
        that see nothing but padding are all equal.

    # Returns

    `torch.Tensor` : Shape (words, dim).
    """
    # The widths must not depend on the other words, or rounding would.
    order, sizes = sort_by_length(character_ids)
    longest = (*_LENGTHS, character_ids.size(1))
    parts = [
        function(part[:, : length + margin])
        for part, length in zip(character_ids[order].split(sizes), longest)
        if len(part)
    ]
    return torch.cat(parts or [function(character_ids)])[order.argsort()]


def sort_by_length(character_ids: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
    """
    Group words of about the same length.

    # Parameters

    character_ids : `torch.Tensor`
        Shape (words, characters).

    # Returns

    order : `torch.Tensor`
        Indices of the words, group after group, shortest first. Shape (words,).
    sizes : `List[int]`
        Number of words in each group; may be zero.
    """
    positions = torch.arange(1, character_ids.size(1) + 1, device=character_ids.device)
    lengths = ((character_ids != PADDING_ID) * positions).amax(1)
    bounds = torch.tensor(_LENGTHS, device=character_ids.device)
    groups, order = torch.bucketize(lengths, bounds).sort(stable=True)
    return order, torch.bincount(groups, minlength=len(_LENGTHS) + 1).tolist()
