"""One bit that is another, in an archive or a checkpoint: refused, or as if nothing had been."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from fuzzing.kind import check_same
from hypothesis import given
from hypothesis import strategies as st

from elmo_plugin.models.loading import load_language_model
from elmo_plugin.training.checkpointer import AtomicCheckpointer

Flip = tuple[float, int]
"""Where, as a part of the length, and which bit."""
flips = st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 7))


def flip(file: Path, place: Flip) -> None:
    content = bytearray(file.read_bytes())
    content[int(place[0] * len(content))] ^= 1 << place[1]
    file.write_bytes(content)


@given(place=flips)
def test_in_an_archive(material: Path, place: Flip) -> None:
    expected, _ = load_language_model(str(material / "model.tar.gz"))
    with tempfile.TemporaryDirectory() as directory:
        file = Path(shutil.copy(material / "model.tar.gz", directory))
        flip(file, place)
        try:
            found, _ = load_language_model(str(file))
        except ConfigurationError as error:
            assert "model.tar.gz" in str(error)
        else:
            check_same(found.state_dict(), expected.state_dict(), "model.tar.gz")


@pytest.mark.parametrize("name", ["model_state_e0_b4.th", "training_state_e0_b4.th"])
@given(place=flips)
def test_in_the_newest_checkpoint(material: Path, name: str, place: Flip) -> None:
    """The one before is taken."""
    whole = material / "interrupted"
    with tempfile.TemporaryDirectory() as directory:
        folder = shutil.copytree(whole, Path(directory, "training"))
        flip(folder / name, place)
        found = AtomicCheckpointer(folder).load_checkpoint()
        before = shutil.copytree(whole, Path(directory, "before"))
        (before / name).unlink()
        expected = [AtomicCheckpointer(one).load_checkpoint() for one in (whole, before)]
    assert found is not None
    assert any(_same(found, one) for one in expected)


def _same(found: Any, expected: Any) -> bool:
    """Dictionaries, lists and tuples of tensors and numbers."""
    if isinstance(found, dict):
        return found.keys() == expected.keys() and all(
            _same(found[key], expected[key]) for key in found
        )
    if isinstance(found, (list, tuple)):
        return len(found) == len(expected) and all(map(_same, found, expected))
    equal: Callable[[Any, Any], bool] = (
        torch.equal if isinstance(found, torch.Tensor) else lambda a, b: a == b
    )
    return equal(found, expected)
