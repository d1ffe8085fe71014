"""The compiled character CNN against torch's convolutions."""

import pytest
import torch

from elmo_plugin.layers.char_ids import PADDING_ID, batch_to_ids
from elmo_plugin.layers.torch_threads import torch_threads
from tests.helpers.random_bilm import random_bilm

compiled = pytest.importorskip("elmo_plugin.layers.fast.compiled.convolution")

CHARACTERS, DIM = 262, 4


def words_of(lengths: list[int], width: int, seed: int = 0) -> torch.Tensor:
    """Random words, then padding. Shape (words, width)."""
    torch.manual_seed(seed)
    words = torch.randint(1, PADDING_ID, (len(lengths), width))
    positions = torch.arange(width)
    return torch.where(positions < torch.tensor(lengths).unsqueeze(1), words, PADDING_ID)


def plain(
    words: torch.Tensor, embedding: torch.Tensor, convolutions: list[torch.nn.Conv1d]
) -> torch.Tensor:
    characters = embedding[words].transpose(1, 2)
    return torch.cat([c(characters).amax(-1) for c in convolutions], dim=-1)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("lengths", [[2, 3, 9, 10], [10], [2] * 40, []])
@pytest.mark.parametrize("filters", [[(1, 3), (2, 20)], [(3, 5), (4, 300), (10, 7)], [(7, 1)]])
def test_values_and_gradients(
    lengths: list[int], filters: list[tuple[int, int]], threads: int
) -> None:
    words = words_of(lengths, 10)
    embedding = torch.randn(CHARACTERS, DIM, requires_grad=True)
    convolutions = [torch.nn.Conv1d(DIM, number, width) for width, number in filters]
    parameters = [embedding, *(p for c in convolutions for p in c.parameters())]
    with torch_threads(threads):
        both = [
            compiled.convolve_and_max(words, embedding, convolutions),
            plain(words, embedding, convolutions),
        ]
        factors = torch.randn(both[0].shape)
        gradients = [torch.autograd.grad((each * factors).sum(), parameters) for each in both]
    torch.testing.assert_close(*both, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(*gradients, atol=1e-4, rtol=1e-4)


def test_nan_shows() -> None:
    words = words_of([5, 5], 10)
    convolution = torch.nn.Conv1d(DIM, 3, 2)
    embedding = torch.randn(CHARACTERS, DIM)
    embedding[words[0, 1]] = torch.nan
    with torch.no_grad():
        found = compiled.convolve_and_max(words, embedding, [convolution])
    assert found[0].isnan().all()


@pytest.mark.parametrize("number", [-1, CHARACTERS, 5000])
def test_ids_outside_of_the_table_raise(number: int) -> None:
    words = words_of([5, 5], 10)
    words[1, 3] = number
    with pytest.raises(ValueError, match=f"expected 0 to 261, got .*{number}"):
        compiled.convolve_and_max(words, torch.randn(CHARACTERS, DIM), [torch.nn.Conv1d(DIM, 3, 2)])


def test_words_that_are_narrower_than_a_convolution_raise() -> None:
    convolutions = [torch.nn.Conv1d(DIM, 3, width) for width in (2, 4)]
    with pytest.raises(ValueError, match="expected at least 4 per word, got 3"):
        compiled.convolve_and_max(words_of([3], 3), torch.randn(CHARACTERS, DIM), convolutions)


def test_row_0_gets_no_gradient() -> None:
    words = words_of([5, 5], 10)
    words[0, 3:] = 0
    table = torch.nn.Embedding(CHARACTERS, DIM, padding_idx=0)
    torch.nn.init.normal_(table.weight)  # row 0 too
    convolution = torch.nn.Conv1d(DIM, 30, 2)
    expected = convolution(table(words).transpose(1, 2)).amax(-1)
    found = compiled.convolve_and_max(words, table.weight, [convolution])
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    [one], [other] = (torch.autograd.grad(x.sum(), [table.weight]) for x in (found, expected))
    torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_default_device_is_not_that_of_the_words() -> None:
    words, embedding = words_of([5, 5], 10), torch.randn(CHARACTERS, DIM)
    convolution = torch.nn.Conv1d(DIM, 3, 2)
    with torch.device("meta"):
        found = compiled.convolve_and_max(words, embedding, [convolution])
    torch.testing.assert_close(found, plain(words, embedding, [convolution]))


def test_ids_may_change_before_the_backward_pass() -> None:
    """A caller may fill one buffer with batch after batch."""
    bilm, gradients = random_bilm().train(), []
    for change in (False, True):
        bilm.zero_grad()
        words = batch_to_ids([["The", "cat"]])[0].to(torch.int32)
        vectors = bilm.token_encoder(words)
        if change:
            words.fill_(1)
        vectors.sum().backward()
        gradients.append(bilm.token_encoder.characters.weight.grad)
    torch.testing.assert_close(*gradients)
