"""Whatever is done to its input, `elmo` reads it or ends in one error that names it."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

import pytest
from fuzzing import KINDS
from fuzzing.attempt import ACCEPTED, REFUSED, attempt
from fuzzing.kind import Kind
from hypothesis import given
from hypothesis import strategies as st


@lru_cache
def kind_of(name: str, material: Path) -> Kind:
    return KINDS[name](material)


@pytest.mark.parametrize("name", KINDS)
@given(rng=st.randoms(use_true_random=False))
def test_accepted_or_refused(name: str, material: Path, rng: random.Random) -> None:
    outcome = attempt(kind_of(name, material), rng)
    assert outcome.status in (ACCEPTED, REFUSED), f"{outcome.detail}\n{outcome.trace}"


@pytest.mark.parametrize("name", KINDS)
def test_undamaged_is_accepted(name: str, material: Path) -> None:
    outcome = attempt(kind_of(name, material), random.Random(0), damaged=False)
    assert outcome.status == ACCEPTED, f"{outcome.detail}\n{outcome.trace}"
