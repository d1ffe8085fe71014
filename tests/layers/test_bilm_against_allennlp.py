"""Values and gradients against AllenNLP's ELMo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from allennlp.modules.elmo import _ElmoBiLm
from allennlp.nn.util import remove_sentence_boundaries

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.layout import to_hdf5
from tests.helpers.random_bilm import FULL, SENTENCES, SMALL, Files, random_bilm, save

CONFIGS = {
    "clipped": SMALL,
    "free": replace(SMALL, cell_clip=None, projection_clip=None),
    "tanh": replace(SMALL, activation="tanh", num_highways=1, num_layers=3),
    "one layer": replace(SMALL, num_layers=1),
}
# Of falling and rising size, with rows of padding only.
BATCHES = [SENTENCES, SENTENCES[3:5], [[], *SENTENCES[1:3], []], SENTENCES * 2, SENTENCES[:1]]
STATES: list[InitialState] = ["zero", "carried"]


@pytest.mark.parametrize("initial_state", STATES)
@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_values_and_gradients_equal_allennlp(
    config: BilmConfig, initial_state: InitialState, tmp_path: Path
) -> None:
    _assert_parity(save(random_bilm(config), tmp_path), initial_state, BATCHES)


@pytest.mark.slow
@pytest.mark.parametrize("initial_state", STATES)
def test_values_and_gradients_at_full_size(initial_state: InitialState, tmp_path: Path) -> None:
    batches = [SENTENCES[:3], SENTENCES[3:4], SENTENCES]
    _assert_parity(save(random_bilm(FULL), tmp_path), initial_state, batches)


def _assert_parity(
    files: Files, initial_state: InitialState, batches: list[list[list[str]]]
) -> None:
    ours = load_bilm(*files, initial_state=initial_state)
    theirs = _ElmoBiLm(str(files.options), str(files.weights), requires_grad=True)
    theirs._elmo_lstm.stateful = initial_state == "carried"
    generator = torch.Generator().manual_seed(0)
    for batch in batches:
        if initial_state == "zero":
            # Not stateful, it still trips over an old state when a batch grows.
            theirs._elmo_lstm.reset_states()
        ids = batch_to_ids(batch)
        output, expected = ours(ids), theirs(ids)
        pairs = [remove_sentence_boundaries(a, expected["mask"]) for a in expected["activations"]]
        layers = torch.stack([layer for layer, _ in pairs])
        assert torch.equal(output.mask, pairs[0][1])
        _assert_close(output.layers, layers)

        ours.zero_grad()
        theirs.zero_grad()
        # A mean over words, as a loss is.
        weights = torch.randn(layers.shape, generator=generator) / output.mask.sum()
        (output.layers * weights).sum().backward()
        (layers * weights).sum().backward()
        expected_gradients = _gradients_as_stored(theirs, ours.config)
        for path, gradient in _stored_gradients(ours).items():
            assert gradient.any(), path
            _assert_close(gradient, expected_gradients[path])


def _stored_gradients(bilm: Bilm) -> dict[str, torch.Tensor]:
    """Gradients by the names, and in the shapes, of the weight file."""
    gradients = bilm.state_dict()
    for name, parameter in bilm.named_parameters():
        assert parameter.grad is not None, name
        gradients[name] = parameter.grad
    stored = to_hdf5(gradients, bilm.config)
    return {path: gradient for path, gradient in stored.items() if "initial_state" not in path}


def _gradients_as_stored(theirs: _ElmoBiLm, config: BilmConfig) -> dict[str, torch.Tensor]:
    embedder, lstm = theirs._token_embedder, theirs._elmo_lstm
    stored = {"char_embed": embedder._char_embedding_weights.grad[1:]}
    for i, convolution in enumerate(embedder._convolutions):
        stored[f"CNN/W_cnn_{i}"] = convolution.weight.grad.permute(2, 1, 0)[None]
        stored[f"CNN/b_cnn_{i}"] = convolution.bias.grad
    for k, highway in enumerate(embedder._highways._layers):
        # Transformed rows first; AllenNLP keeps the gate with the opposite sign.
        for name, gradient in (("W", highway.weight.grad.T), ("b", highway.bias.grad)):
            transform, carry = gradient.chunk(2, dim=-1)
            stored[f"CNN_high_{k}/{name}_transform"] = transform
            stored[f"CNN_high_{k}/{name}_carry"] = -carry
    stored["CNN_proj/W_proj"] = embedder._projection.weight.grad.T
    stored["CNN_proj/b_proj"] = embedder._projection.bias.grad
    for direction, name in enumerate(("forward", "backward")):
        for layer in range(config.num_layers):
            cell = getattr(lstm, f"{name}_layer_{layer}")
            path = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            kernels = (cell.input_linearity.weight.grad, cell.state_linearity.weight.grad)
            stored[f"{path}/W_0"] = _gates_as_stored(torch.cat(kernels, dim=1)).T
            stored[f"{path}/B"] = _gates_as_stored(cell.state_linearity.bias.grad)
            stored[f"{path}/W_P_0"] = cell.state_projection.weight.grad.T
    return stored


def _gates_as_stored(gates: torch.Tensor) -> torch.Tensor:
    i, f, j, o = gates.chunk(4)
    return torch.cat([i, j, f, o])


def _assert_close(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
