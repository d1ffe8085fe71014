"""Encodes rows of character ids as bytes, as keys of words and sentences."""

from __future__ import annotations

import ctypes

import torch


def row_bytes(character_ids: torch.Tensor) -> list[bytes]:
    """
    Encode each row with two bytes per id, the lower one first on every machine.

    # Parameters

    character_ids : `torch.Tensor`
        Ids below 2^15. Shape (rows, ...).
    """
    ids = character_ids.cpu().to(torch.int16).flatten(1)
    # Shape: (rows, 2 * ids)
    encoded = torch.stack([ids & 255, ids >> 8], dim=-1).to(torch.uint8).flatten(1).contiguous()
    # Not `string_at`, whose size is a C int.
    content = (ctypes.c_char * encoded.numel()).from_address(encoded.data_ptr()).raw
    size = encoded.size(1)
    return [content[row * size : (row + 1) * size] for row in range(len(ids))]
