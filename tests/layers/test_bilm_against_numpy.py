from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from elmo_plugin.layers import BilmConfig, batch_to_ids
from elmo_plugin.weights import load_bilm
from tests.helpers.bilm_files import SAME_SIZES, remove_projections
from tests.helpers.random_bilm import SENTENCES, SMALL, random_bilm, save
from tests.reference.numpy_bilm import NumpyBilm, State

CONFIGS = {
    "clipped": SMALL,
    "free": replace(SMALL, cell_clip=None, projection_clip=None),
    "tanh": replace(SMALL, activation="tanh", num_highways=1, num_layers=3),
    "plain": replace(SMALL, num_highways=0, num_layers=1, residual=False),
    "not residual": replace(SMALL, residual=False),
    "one wide filter": replace(SMALL, filters=((7, 9),), character_dim=3),
    "short words": replace(SMALL, max_characters=7),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_layers_equal_numpy(config: BilmConfig, tmp_path: Path) -> None:
    files = save(random_bilm(config), tmp_path)
    reference = NumpyBilm(*files)
    output = load_bilm(*files)(batch_to_ids([*SENTENCES, []], config.max_characters))
    for row, words in enumerate(SENTENCES):
        expected, _ = reference.sentence(words)
        assert output.mask[row].tolist() == [t < len(words) for t in range(output.mask.size(1))]
        _assert_close(output.layers[:, row, : len(words)], expected)
        assert not output.layers[:, row, len(words) :].any()
    assert not output.mask[-1].any() and not output.layers[:, -1].any()


def test_layers_without_projections_equal_numpy(tmp_path: Path) -> None:
    files = save(random_bilm(SAME_SIZES), tmp_path)
    remove_projections(files)
    reference = NumpyBilm(*files)
    output = load_bilm(*files)(batch_to_ids(SENTENCES))
    for row, words in enumerate(SENTENCES):
        expected, _ = reference.sentence(words)
        _assert_close(output.layers[:, row, : len(words)], expected)


def test_clipping_is_active(tmp_path: Path) -> None:
    # Otherwise the tests here would not see it.
    reference = NumpyBilm(*save(random_bilm(), tmp_path))
    layers, state = reference.sentence(SENTENCES[0])
    assert SMALL.cell_clip is not None
    assert (abs(layers[1]) == SMALL.projection_clip).any()
    assert any((abs(cell) == SMALL.cell_clip).any() for _, cell in state.values())


def test_carried_state(tmp_path: Path) -> None:
    files = save(random_bilm(), tmp_path)
    reference, bilm = NumpyBilm(*files), load_bilm(*files, initial_state="carried")
    before: dict[int, State] = {}
    for rows in ([0, 1, 2], [3], [4, 5, 0, 1], [2, 3]):
        batch = [SENTENCES[i] for i in rows]
        layers = bilm(batch_to_ids(batch)).layers
        for row, words in enumerate(batch):
            expected, before[row] = reference.sentence(words, before.get(row))
            _assert_close(layers[:, row, : len(words)], expected)


def test_warm_state(tmp_path: Path) -> None:
    # The state after some sentence, stored, is what every sentence then starts from.
    bilm = random_bilm()
    reference = NumpyBilm(*save(bilm, tmp_path))
    _, state = reference.sentence(SENTENCES[0])
    for (direction, layer), (hidden, cell) in state.items():
        bilm.warm_hidden[layer, direction, 0] = torch.from_numpy(hidden)
        bilm.warm_cell[layer, direction, 0] = torch.from_numpy(cell)
    files = save(bilm, tmp_path)
    warm = load_bilm(*files, initial_state="warm")
    for _ in range(2):
        layers = warm(batch_to_ids(SENTENCES)).layers
        for row, words in enumerate(SENTENCES):
            _assert_close(layers[:, row, : len(words)], reference.sentence(words, state)[0])
    cold = load_bilm(*files)(batch_to_ids(SENTENCES[:1])).layers[:, 0]
    _assert_close(cold, reference.sentence(SENTENCES[0])[0])


def _assert_close(found: torch.Tensor, expected: object) -> None:
    torch.testing.assert_close(found.double(), torch.as_tensor(expected), atol=1e-6, rtol=0)
