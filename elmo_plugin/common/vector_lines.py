"""Lines of files of static word vectors."""

from __future__ import annotations


def parse_vector(line: str, dim: int, location: str) -> tuple[str, list[float]]:
    """
    Split a line into a word, which may contain spaces, and its vector.

    # Parameters

    line : `str`
    dim : `int`
        Dimensions of the vector; -1 for as many numbers as there are.
    location : `str`
        The line's file and number, for errors.

    # Raises

    `ValueError` : another number of dimensions, or a field that is not a number.
    """
    # From the right, because some published words contain spaces.
    word, *fields = line.rstrip().rsplit(" ", dim)
    try:
        values = [float(field) for field in fields]
    except ValueError as error:
        raise ValueError(f"{location}: expected a word and its vector, found: {error}") from error
    expected = len(values) if dim < 0 else dim
    if not values or len(values) != expected or _ends_in_number(word):
        found = "more" if values and len(values) == expected else len(values)
        raise ValueError(f"{location}: expected {max(expected, 1)} dimensions, found {found}")
    return word, values


def _ends_in_number(word: str) -> bool:
    """Return True if a word ends in a space and a number: its line has too many dimensions."""
    _, space, last = word.rpartition(" ")
    try:
        float(last)
    except ValueError:
        return False
    return bool(space)
