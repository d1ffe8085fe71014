"""Applying a function per sentence, against a loop over the sentences."""

import pytest
import torch
from torch.testing import assert_close

from elmo_plugin.layers.per_sentence import apply_per_sentence


def from_the_end(apart: torch.Tensor) -> torch.Tensor:
    """Sum of each value and all after it in its row, which depends on the whole sentence."""
    return apart.flip(1).cumsum(1).flip(1).float()


@pytest.mark.parametrize(
    "sentences",
    [
        [[1, 1, 1, 2, 2], [1, 2, 3, 3, 3]],
        [[1, 1, 2, 0, 0], [1, 1, 1, 1, 1]],
        [[3, 3, 7, 7, 7], [0, 0, 0, 0, 0]],  # numbers may be left out, texts may be empty
        [[0, 0], [0, 0]],
    ],
)
def test_function_is_applied_to_each_sentence(sentences: list[list[int]]) -> None:
    numbers = torch.tensor(sentences)
    tokens = torch.randint(1, 9, (*numbers.shape, 3))
    expected = torch.zeros(tokens.shape)
    for text, row in enumerate(sentences):
        for number in set(row) - {0}:
            where = torch.tensor([i for i, n in enumerate(row) if n == number])
            expected[text, where] = from_the_end(tokens[text, where][None])[0]
    assert_close(apply_per_sentence(from_the_end, tokens, numbers), expected)


def test_gradients_reach_every_token() -> None:
    tokens = torch.randn(1, 3, 2, requires_grad=True)
    apply_per_sentence(from_the_end, tokens, torch.tensor([[1, 1, 2]]))[0, 0].sum().backward()
    assert_close(tokens.grad, torch.tensor([[[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]]))
