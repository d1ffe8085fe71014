"""CoVe against a two-layer LSTM of PyTorch, sentence by sentence."""

import pytest
import torch

from elmo_plugin.layers.cove import Cove


def rival(cove: Cove) -> torch.nn.LSTM:
    """A two-layer LSTM with the same weights."""
    lstm = torch.nn.LSTM(
        cove.input_dim, cove.hidden_dim, num_layers=2, batch_first=True, bidirectional=True
    )
    state = {}
    for depth, rnn in enumerate(cove.rnns):
        state.update({k.replace("_l0", f"_l{depth}"): v for k, v in rnn.state_dict().items()})
    lstm.load_state_dict(state)
    return lstm


def test_layers_equal_pytorch_on_each_sentence() -> None:
    torch.manual_seed(0)
    cove = Cove(input_dim=5, hidden_dim=3)
    vectors = torch.randn(3, 6, 5)
    lengths = [4, 6, 1]
    mask = torch.arange(6) < torch.tensor(lengths).unsqueeze(1)

    layers = cove(vectors, mask)

    assert layers.shape == (2, 3, 6, cove.output_dim)
    for row, length in enumerate(lengths):
        alone = vectors[row : row + 1, :length]
        torch.testing.assert_close(layers[0, row, :length], cove.rnns[0](alone)[0][0])
        torch.testing.assert_close(layers[1, row, :length], rival(cove)(alone)[0][0])
        assert not layers[:, row, length:].any()


def test_empty_row_is_zero() -> None:
    mask = torch.tensor([[False, False], [True, True]])
    layers = Cove(4, 3)(torch.randn(2, 2, 4), mask)
    assert not layers[:, 0].any()
    assert layers[:, 1].any()


@pytest.mark.parametrize("shape", [(2, 0), (0, 3)])
def test_batch_without_tokens(shape: tuple[int, int]) -> None:
    layers = Cove(4, 3)(torch.zeros(*shape, 4), torch.zeros(shape, dtype=torch.bool))
    assert layers.shape == (2, *shape, 6)


def test_vectors_of_another_size_raise() -> None:
    with pytest.raises(ValueError, match="expected 4 dimensions, got 5"):
        Cove(4, 3)(torch.randn(1, 2, 5), torch.ones(1, 2, dtype=torch.bool))
