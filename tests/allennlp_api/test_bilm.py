"""`_ElmoBiLm` and `_ElmoCharacterEncoder` against AllenNLP's, alone and as a module of `Elmo`."""

from __future__ import annotations

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules import elmo as allennlp_elmo

from elmo_plugin import allennlp_api
from elmo_plugin.layers import batch_to_ids
from tests.helpers.elmo_embedders import assert_equal_outputs, assert_near, stateless
from tests.helpers.random_bilm import SENTENCES, Files

IDS = batch_to_ids(SENTENCES)


def test_module_in_place_of_files(files: Files) -> None:
    expected = allennlp_api.Elmo(*files, 2, dropout=0.0)(IDS)
    ours = allennlp_api._ElmoBiLm(*files)
    theirs = stateless(allennlp_elmo._ElmoBiLm(*map(str, files)))
    for module in (ours, theirs):
        elmo = allennlp_api.Elmo(None, None, 2, dropout=0.0, module=module)
        assert_equal_outputs(elmo(IDS), expected)
        assert elmo.get_output_dim() == ours.get_output_dim()
    # In AllenNLP's Elmo, our module does as well.
    theirs_with_ours = allennlp_elmo.Elmo(None, None, 2, dropout=0.0, module=ours)
    assert_equal_outputs(theirs_with_ours(IDS), expected)
    with pytest.raises(ConfigurationError, match="module: expected no files with it, got "):
        allennlp_api.Elmo(*files, 1, module=ours)


def test_bilm_equals_allennlp(files: Files) -> None:
    ours = allennlp_api._ElmoBiLm(*files)
    theirs = stateless(allennlp_elmo._ElmoBiLm(*map(str, files)))
    assert ours.num_layers == theirs.num_layers
    found, expected = ours(IDS), theirs(IDS)
    assert torch.equal(found["mask"], expected["mask"])
    for layer, peer in zip(found["activations"], expected["activations"], strict=True):
        # AllenNLP gives padding the vector of an empty word in layer 0, before it is mixed.
        assert_near(layer, peer * expected["mask"].unsqueeze(-1))


@pytest.mark.parametrize("requires_grad", [False, True])
def test_character_encoder_equals_allennlp(files: Files, requires_grad: bool) -> None:
    ours = allennlp_api._ElmoCharacterEncoder(*files, requires_grad)
    theirs = allennlp_elmo._ElmoCharacterEncoder(*map(str, files), requires_grad)
    assert ours.get_output_dim() == ours.output_dim == theirs.get_output_dim()
    found, expected = ours(IDS), theirs(IDS)
    assert torch.equal(found["mask"], expected["mask"])
    assert_near(found["token_embedding"][found["mask"]], expected["token_embedding"][found["mask"]])
    assert all(p.requires_grad == requires_grad for p in ours.parameters())


def test_token_embedder_of_a_bilm_equals_allennlp(files: Files) -> None:
    ours = allennlp_api._ElmoBiLm(*files)._token_embedder
    theirs = allennlp_elmo._ElmoBiLm(*map(str, files))._token_embedder
    assert ours.get_output_dim() == theirs.get_output_dim()
    found, expected = ours(IDS), theirs(IDS)
    mask = found["mask"]
    assert torch.equal(mask, expected["mask"])
    assert_near(found["token_embedding"][mask], expected["token_embedding"][mask])
    with pytest.raises(ConfigurationError, match="character_ids: expected shape"):
        ours(IDS[..., :20])
