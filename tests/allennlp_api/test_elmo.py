"""`Elmo` and `batch_to_ids` against AllenNLP's."""

from __future__ import annotations

import copy
import subprocess
import sys
from typing import Any

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.modules import elmo as allennlp_elmo

from elmo_plugin import allennlp_api
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.pretrained import load_pretrained_bilm
from tests.helpers.elmo_embedders import assert_equal_outputs, assert_near, stateless
from tests.helpers.random_bilm import SENTENCES, Files

IDS = batch_to_ids(SENTENCES)
BATCHES = [SENTENCES, SENTENCES[3:5], [[], *SENTENCES[1:3], []], SENTENCES * 2, SENTENCES[:1]]


def make_both(files: Files, *arguments: Any, **options: Any) -> tuple[Any, Any]:
    """Ours and AllenNLP's, the latter without carried state."""
    ours = allennlp_api.Elmo(*files, *arguments, **options)
    theirs = allennlp_elmo.Elmo(*map(str, files), *arguments, **options)
    return ours.eval(), stateless(theirs).eval()


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_representations_and_mask_equal_allennlp(files: Files, count: int, keep: bool) -> None:
    ours, theirs = make_both(files, count, keep_sentence_boundaries=keep)
    assert ours.get_output_dim() == theirs.get_output_dim()
    for batch in BATCHES:
        ids = batch_to_ids(batch)
        assert_equal_outputs(ours(ids), theirs(ids))


@pytest.mark.parametrize("keep", [False, True])
def test_input_of_four_dimensions(files: Files, keep: bool) -> None:
    ours, theirs = make_both(files, 2, keep_sentence_boundaries=keep)
    ids = IDS.view(2, 3, *IDS.shape[1:])
    found = ours(ids)
    tokens = IDS.size(1) + 2 * keep
    assert found["mask"].shape == (2, 3, tokens)
    assert found["elmo_representations"][1].shape == (2, 3, tokens, ours.get_output_dim())
    flat = theirs(IDS)
    # AllenNLP cannot give back four dimensions with boundaries.
    assert torch.equal(found["mask"].flatten(0, 1), flat["mask"])
    for mixed, peer in zip(found["elmo_representations"], flat["elmo_representations"]):
        assert_near(mixed.flatten(0, 1), peer)


def test_layer_norm_of_one_sentence_equals_allennlp(files: Files) -> None:
    ours, theirs = make_both(files, 1, do_layer_norm=True)
    for sentence in SENTENCES:
        ids = batch_to_ids([sentence])
        assert_equal_outputs(ours(ids), theirs(ids))


def test_layer_norm_of_a_batch_equals_allennlp(files: Files) -> None:
    ours = allennlp_api.Elmo(*files, do_layer_norm="batch").eval()
    _, theirs = make_both(files, 1, do_layer_norm=True)
    for batch in BATCHES:
        ids = batch_to_ids(batch)
        assert_equal_outputs(ours(ids), theirs(ids))


def test_fixed_mix_equals_allennlp(files: Files) -> None:
    ours, theirs = make_both(files, 1, scalar_mix_parameters=[-1.0, 2.0, 0.5])
    assert_equal_outputs(ours(IDS), theirs(IDS))
    assert not any(p.requires_grad for p in ours.parameters())


@pytest.mark.parametrize("options", [{}, {"dropout": 0.2}], ids=str)
def test_dropout_equals_allennlp(files: Files, options: dict[str, float]) -> None:
    """With the same seed, the same values are zero; by default, half of them."""
    outputs = []
    for elmo in make_both(files, 2, **options):
        torch.manual_seed(0)
        outputs.append(elmo.train()(IDS))
    assert_equal_outputs(*outputs)
    first, second = outputs[0]["elmo_representations"]
    inside = outputs[0]["mask"]
    dropped = (torch.stack([first[inside], second[inside]]) == 0).float().mean().item()
    assert dropped == pytest.approx(options.get("dropout", 0.5), abs=0.1)


def test_vocab_to_cache_changes_no_vector(files: Files) -> None:
    words = ["@@PADDING@@", "@@UNKNOWN@@", *sorted({w for s in SENTENCES[:3] for w in s})]
    ours, theirs = make_both(files, 1, vocab_to_cache=words)
    word_ids = torch.zeros(3, IDS.size(1), dtype=torch.long)
    for row, sentence in zip(word_ids, SENTENCES):
        row[: len(sentence)] = torch.tensor([words.index(word) for word in sentence])
    assert_equal_outputs(ours(IDS[:3], word_ids), theirs(IDS[:3], word_ids))
    stacked = ours(torch.stack([IDS[:3]] * 2), torch.stack([word_ids] * 2))
    assert stacked["elmo_representations"][0].shape[:3] == (2, 3, IDS.size(1))


def test_carried_state_equals_allennlp(files: Files) -> None:
    ours = allennlp_api.Elmo(*files, 1, dropout=0.0, initial_state="carried")
    theirs = allennlp_elmo.Elmo(*map(str, files), 1, dropout=0.0)
    for batch in BATCHES:
        ids = batch_to_ids(batch)
        assert_equal_outputs(ours(ids), theirs(ids))


def test_state_that_is_not_carried_stays_warm(files: Files) -> None:
    elmo = allennlp_api.Elmo(*files, 1, dropout=0.0)
    bilm = elmo._elmo_lstm._bilm
    bilm.initial_state = "warm"
    lstm = elmo._elmo_lstm._elmo_lstm
    lstm.stateful = False
    assert bilm.initial_state == "warm"
    lstm.stateful = True
    lstm.stateful = False
    assert bilm.initial_state == "zero"


def test_state_is_switched_and_reset_by_allennlps_names(files: Files) -> None:
    elmo = allennlp_api.Elmo(*files, 1, dropout=0.0)
    lstm = elmo._elmo_lstm._elmo_lstm
    assert not lstm.stateful

    def vectors() -> torch.Tensor:
        return elmo(IDS)["elmo_representations"][0]

    first = vectors()
    assert torch.equal(vectors(), first)
    lstm.stateful = True
    assert torch.equal(vectors(), first)
    assert not torch.equal(vectors(), first)
    lstm.reset_states()
    assert torch.equal(vectors(), first)
    # A copy has a state of its own.
    copied = copy.deepcopy(elmo)
    copied._elmo_lstm._elmo_lstm.reset_states()
    assert torch.equal(copied(IDS)["elmo_representations"][0], first)
    assert not torch.equal(vectors(), first)


def test_gradients_of_mixes_and_bilm_equal_allennlp(files: Files) -> None:
    ours, theirs = make_both(files, 2, requires_grad=True)
    for elmo in (ours, theirs):
        output = elmo(IDS)["elmo_representations"]
        (output[0].square().sum() + output[1].sum()).backward()
    for k in range(2):
        mix, peer = (getattr(elmo, f"scalar_mix_{k}") for elmo in (ours, theirs))
        torch.testing.assert_close(mix.gamma.grad, peer.gamma.grad, rtol=1e-4, atol=1e-4)
        expected = torch.cat([p.grad for p in peer.scalar_parameters])
        torch.testing.assert_close(mix.scalar_parameters.grad, expected, rtol=1e-4, atol=1e-4)
    grads = {n: p.grad for n, p in ours.named_parameters() if "_elmo_lstm" in n}
    assert grads and all(grad is not None for grad in grads.values())
    embedding = theirs._elmo_lstm._token_embedder._char_embedding_weights.grad
    found = grads["_elmo_lstm._bilm.token_encoder.characters.weight"]
    torch.testing.assert_close(found, embedding, rtol=1e-3, atol=1e-3)


def test_frozen_bilm_has_no_gradients(files: Files) -> None:
    elmo = allennlp_api.Elmo(*files, 1)
    elmo(IDS)["elmo_representations"][0].sum().backward()
    trained = {name for name, p in elmo.named_parameters() if p.grad is not None}
    assert trained == {"scalar_mix_0.gamma", "scalar_mix_0.scalar_parameters"}


def test_from_params(files: Files) -> None:
    paths = {"options_file": str(files.options), "weight_file": str(files.weights)}
    config = {**paths, "num_output_representations": 2, "scalar_mix_parameters": [1.0, 0.0, 0.0]}
    params = Params(dict(config))
    elmo = allennlp_api.Elmo.from_params(params).eval()
    params.assert_empty("Elmo")  # as AllenNLP's leaves it
    expected = allennlp_elmo.Elmo.from_params(Params(dict(config))).eval()
    assert_equal_outputs(elmo(IDS), stateless(expected)(IDS))
    for api in (allennlp_api, allennlp_elmo):
        with pytest.raises(ConfigurationError, match=r"Extra parameters passed to Elmo: .*dropuot"):
            api.Elmo.from_params(Params({**config, "dropuot": 0.1}))


def test_built_in_bilm_without_files() -> None:
    elmo = allennlp_api.Elmo(None, None, 1, dropout=0.0)
    expected = load_pretrained_bilm()(IDS).layers.mean(0)
    assert_near(elmo(IDS)["elmo_representations"][0], expected)


def test_batch_to_ids_equals_allennlp() -> None:
    assert torch.equal(allennlp_api.batch_to_ids(SENTENCES), allennlp_elmo.batch_to_ids(SENTENCES))


def test_one_file_without_the_other_raises(files: Files) -> None:
    with pytest.raises(ConfigurationError, match="expected both, or neither"):
        allennlp_api.Elmo(files.options, None, 1)


def test_errors_are_value_errors_and_allennlp_is_not_imported() -> None:
    program = (
        "import sys; from elmo_plugin import allennlp_api\n"
        "try: allennlp_api.Elmo(scalar_mix_parameters=[1.0])\n"
        "except ValueError as error: print(error)\n"
        "assert not any(name.partition('.')[0] == 'allennlp' for name in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "scalar mix parameters: expected 3, one per layer, got 1" in done.stdout
