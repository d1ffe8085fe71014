"""Products in blocks of columns, against NumPy's in float64."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("numba")

from elmo_plugin.layers.fast.compiled.column_blocks import column_blocks
from elmo_plugin.layers.fast.compiled.kernels.matmul import BLOCK, multiply_add
from elmo_plugin.layers.fast.compiled.threads import numpy_view

DTYPES = [torch.float32, torch.bfloat16]


def multiply(left: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    """Add the product to zeros, and drop the padding."""
    blocks = column_blocks(matrix)
    sums = torch.zeros(len(left), len(blocks) * BLOCK)
    multiply_add(numpy_view(left), numpy_view(blocks), sums.numpy())
    return sums[:, : matrix.size(1)]


@pytest.mark.parametrize("dtype", DTYPES)
@given(
    rows=st.integers(1, 11),
    depth=st.integers(1, 40),
    columns=st.integers(1, 150),
    seed=st.integers(0, 99),
)
@settings(deadline=None, max_examples=50)
def test_product(dtype: torch.dtype, rows: int, depth: int, columns: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    left = torch.randn(rows, depth, generator=generator).to(dtype)
    matrix = torch.randn(depth, columns, generator=generator).to(dtype)
    expected = left.double().numpy() @ matrix.double().numpy()
    # The rounding error of a sum grows with the magnitudes of its terms.
    bound = left.double().abs().numpy() @ matrix.double().abs().numpy()
    error = numpy.abs(multiply(left, matrix).numpy() - expected)
    assert (error <= 1e-6 * depth * bound).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_are_added_to(dtype: torch.dtype) -> None:
    left, matrix = torch.randn(5, 6).to(dtype), torch.randn(6, BLOCK).to(dtype)
    sums = torch.full((5, BLOCK), 3.0)
    multiply_add(numpy_view(left), numpy_view(column_blocks(matrix)), sums.numpy())
    torch.testing.assert_close(sums, 3 + multiply(left, matrix))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("depth", [6, 7])
def test_a_row_does_not_depend_on_the_others(dtype: torch.dtype, depth: int) -> None:
    left, matrix = torch.randn(9, depth).to(dtype), torch.randn(depth, 100).to(dtype)
    whole = multiply(left, matrix)
    for rows in range(1, 9):
        assert torch.equal(multiply(left[:rows], matrix), whole[:rows])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_values_that_are_not_finite_show(dtype: torch.dtype, value: float) -> None:
    left, matrix = torch.ones(3, 4, dtype=dtype), torch.ones(4, 5, dtype=dtype)
    left[1, 2] = value
    found = multiply(left, matrix)
    assert found.isfinite().tolist() == [[True] * 5, [False] * 5, [True] * 5]


@pytest.mark.parametrize("dtype", DTYPES)
def test_several_matrices_at_once(dtype: torch.dtype) -> None:
    matrices = torch.randn(2, 4, 70).to(dtype)
    one, other = column_blocks(matrices)
    assert torch.equal(one, column_blocks(matrices[0]))
    assert torch.equal(other, column_blocks(matrices[1]))


# A processor with half as long vectors, and one without an instruction for sums of products.
@pytest.mark.parametrize("processor", ["haswell", "generic"])
def test_other_processors(processor: str, tmp_path: Path) -> None:
    features = {"haswell": "+avx,+avx2,+fma", "generic": ""}[processor]
    settings = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": features}
    arguments = [__file__, "-q", "-k", "test_product or test_a_row", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        env={**os.environ, **settings, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0 and re.search(r"\d+ passed", run.stdout), run.stdout
