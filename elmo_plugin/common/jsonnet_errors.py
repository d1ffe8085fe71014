"""Shortens Jsonnet's errors."""

from __future__ import annotations

_MAX_MESSAGE = 600


def jsonnet_problem(error: Exception) -> str:
    """Return the message of Jsonnet's error and the innermost place of its stack."""
    message, _, stack = str(error).strip().partition("\n\t")
    place, _, _ = stack.partition("\t")
    # A line of a damaged file may be very long.
    shortened = message[:_MAX_MESSAGE]
    return f"{shortened} ({place.strip()})" if place else shortened
