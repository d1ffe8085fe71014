"""State dicts of models that were trained with AllenNLP's classes."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from allennlp.modules import elmo as allennlp_elmo

from elmo_plugin import allennlp_api
from elmo_plugin.allennlp_api.checkpoints import rename_lstm, rename_mixes
from elmo_plugin.layers import batch_to_ids
from tests.helpers.elmo_embedders import assert_near, stateless
from tests.helpers.random_bilm import SENTENCES, Files

IDS = batch_to_ids(SENTENCES)


class Tagger(torch.nn.Module):
    def __init__(self, elmo: torch.nn.Module) -> None:
        super().__init__()
        self.elmo = elmo
        self.output = torch.nn.Linear(16, 3)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        first, second = self.elmo(ids)["elmo_representations"]
        return self.output(first + second)


def change_weights(module: torch.nn.Module) -> None:
    """Change all weights but the row of padding, as a training run does."""
    torch.manual_seed(0)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            start = 1 if name.endswith("_char_embedding_weights") else 0
            parameter[start:] += 0.1 * torch.randn_like(parameter[start:])


@pytest.fixture
def trained(files: Files) -> Any:
    model = Tagger(allennlp_elmo.Elmo(*map(str, files), 2, requires_grad=True))
    change_weights(model)
    stateless(model)
    return model.eval()


def test_a_trained_model_loads_with_the_import_changed(files: Files, trained: Any) -> None:
    ours = Tagger(allennlp_api.Elmo(*files, 2)).eval()
    before = ours(IDS)
    state = trained.state_dict()
    names = list(state)
    ours.load_state_dict(state)
    assert list(state) == names
    assert_near(ours(IDS), trained(IDS))
    assert not torch.allclose(ours(IDS), before, atol=1e-2)


def test_weights_of_a_mix_are_joined_by_their_numbers() -> None:
    """The state dict may have another order, and as names, 10 sorts before 2."""
    mix = "elmo.scalar_mix_0.scalar_parameters"
    state = {f"{mix}.{i}": torch.tensor([float(i)]) for i in reversed(range(11))}
    rename_mixes(state, "elmo.")
    assert state[mix].tolist() == list(range(11))


def test_forget_gates_of_half_precision_are_not_rounded_again() -> None:
    """AllenNLP's bias, which includes 1, may have no exact difference from 1 in its own type."""
    torch.manual_seed(0)
    bias = (torch.rand(4 * 6) * 0.1).half()
    names = ("forward", "backward")
    state = {f"lstm.{name}_layer_0.state_linearity.bias": bias.clone() for name in names}
    rename_lstm(state, "lstm.", "ours.")
    found = state["ours.layers.0.bias"][0].chunk(4)[2]
    assert torch.equal(found, bias.chunk(4)[1].float() - 1)


def test_compiled_models_equal_others(files: Files) -> None:
    for module in (
        allennlp_api.Elmo(*files, 1, dropout=0, vocab_to_cache=["The", "a"]),
        allennlp_api._ElmoCharacterEncoder(*files),
    ):
        torch.compiler.reset()
        compiled, plain = torch.compile(module, backend="eager")(IDS), module(IDS)
        for name, value in plain.items():
            torch.testing.assert_close(compiled[name], value)


def test_cached_words_of_a_checkpoint_are_left_out(files: Files) -> None:
    theirs = allennlp_elmo.Elmo(*map(str, files), 1, vocab_to_cache=["@@PADDING@@", "The"])
    ours = allennlp_api.Elmo(*files, 1)
    ours.load_state_dict(theirs.state_dict())
    with_words = ours.eval()(IDS)["elmo_representations"][0]
    assert_near(with_words, stateless(theirs).eval()(IDS)["elmo_representations"][0])


def test_character_encoder_loads(files: Files) -> None:
    theirs = allennlp_elmo._ElmoCharacterEncoder(*map(str, files), requires_grad=True)
    change_weights(theirs)
    ours = allennlp_api._ElmoCharacterEncoder(*files)
    ours.load_state_dict(theirs.state_dict())
    found, expected = ours(IDS), theirs(IDS)
    assert_near(found["token_embedding"][found["mask"]], expected["token_embedding"][found["mask"]])


def test_own_state_dicts_round_trip(files: Files) -> None:
    first, second = (Tagger(allennlp_api.Elmo(*files, 2, requires_grad=True)) for _ in range(2))
    change_weights(first)
    second.load_state_dict(first.state_dict())
    for name, value in second.state_dict().items():
        assert torch.equal(value, first.state_dict()[name]), name


def test_a_checkpoint_of_other_sizes_raises(files: Files, trained: Any) -> None:
    built_in = Tagger(allennlp_api.Elmo(None, None, 2))
    with pytest.raises(RuntimeError, match="size mismatch"):
        built_in.load_state_dict(trained.state_dict())


def test_an_incomplete_checkpoint_raises(files: Files, trained: Any) -> None:
    state = trained.state_dict()
    del state["elmo._elmo_lstm._elmo_lstm.backward_layer_1.state_projection.weight"]
    ours = Tagger(allennlp_api.Elmo(*files, 2))
    with pytest.raises(RuntimeError, match=r"Missing key.*lstm\.layers\.1\.projection"):
        ours.load_state_dict(state)
