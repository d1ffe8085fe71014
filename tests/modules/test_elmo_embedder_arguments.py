"""Parameters of the TokenEmbedder `elmo`."""

from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, Instance, Vocabulary
from allennlp.data.fields import TextField
from allennlp.modules.elmo import Elmo as AllennlpElmo
from allennlp.nn import RegularizerApplicator

from elmo_plugin.data.elmo_characters import ElmoCharactersIndexer
from elmo_plugin.layers import BilmConfig, batch_to_ids
from elmo_plugin.weights import load_bilm
from tests.helpers.elmo_embedders import assert_near, make_embedder, stateless
from tests.helpers.forward_calls import before_forward
from tests.helpers.random_bilm import SENTENCES, SMALL, Files, random_bilm, save


def test_projection_equals_allennlp(files: Files) -> None:
    ours = make_embedder(files, projection_dim=5)
    theirs = stateless(make_embedder(files, "elmo_token_embedder", projection_dim=5))
    ours._projections[0].load_state_dict(theirs._projection.state_dict())
    ids = batch_to_ids(SENTENCES)
    assert ours.get_output_dim() == theirs.get_output_dim() == 5
    words = (ids > 0).any(-1)
    assert_near(ours(ids)[words], theirs(ids)[words])
    # AllenNLP's padding has the bias of the projection.
    assert not ours(ids)[~words].any()


def test_vocab_to_cache_does_not_change_vectors(files: Files) -> None:
    words = ["the", "cat", "sat", "漢字"]
    ours = make_embedder(files, vocab_to_cache=["", *words])
    theirs = stateless(make_embedder(files, "elmo_token_embedder", vocab_to_cache=["", *words]))
    encoded: list[bytes] = []
    before_forward(
        ours._elmo.bilm.token_encoder,
        lambda ids: encoded.extend({row.numpy().tobytes() for row in ids}),
    )
    ids, numbers = batch_to_ids([words]), torch.tensor([[1, 2, 3, 4]])
    assert_near(ours(ids, numbers), theirs(ids, numbers))
    assert len(encoded) == 5 + 2  # the vocabulary; then the sentence's boundaries alone
    ours(batch_to_ids([["the", "new", "cat"]]))
    assert len(encoded) == len(set(encoded)) == 5 + 2 + 1


def test_vocab_to_cache_of_several_batches(files: Files) -> None:
    words = [f"word{i}" for i in range(3000)]
    ours = make_embedder(files, vocab_to_cache=words)
    encoded: list[int] = []
    ours(batch_to_ids([["first"]]))
    before_forward(ours._elmo.bilm.token_encoder, lambda ids: encoded.append(len(ids)))
    ours(batch_to_ids([words[:50], words[-50:]]))
    assert encoded == []


def test_vocab_to_cache_of_a_trained_bilm(files: Files) -> None:
    embedder = make_embedder(files, vocab_to_cache=["a", "b", "c"], requires_grad=True)
    encoded: list[int] = []
    before_forward(embedder._elmo.bilm.token_encoder, lambda ids: encoded.append(len(ids)))
    embedder(batch_to_ids([["one"]]))
    assert sum(encoded) == 3  # the word and the boundaries


def test_two_representations(files: Files) -> None:
    ours = make_embedder(files, num_output_representations=2)
    theirs = stateless(AllennlpElmo(str(files.options), str(files.weights), 2).eval())
    with torch.no_grad():
        for k in range(2):
            weights, gamma = torch.randn(3), torch.rand(1)
            mix, their_mix = ours._elmo.scalar_mixes[k], getattr(theirs, f"scalar_mix_{k}")
            mix.scalar_parameters.copy_(weights)
            mix.gamma.copy_(gamma)
            their_mix.gamma.copy_(gamma)
            for parameter, weight in zip(their_mix.scalar_parameters, weights):
                parameter.copy_(weight)
    ids = batch_to_ids(SENTENCES)
    expected = torch.cat(theirs(ids)["elmo_representations"], dim=-1)
    assert ours.get_output_dim() == expected.size(-1)
    assert_near(ours(ids), expected)


def test_each_representation_has_its_projection(files: Files) -> None:
    both = make_embedder(files, num_output_representations=2, projection_dim=5)
    single = make_embedder(files)
    ids = batch_to_ids(SENTENCES)
    projected = [
        single(ids) @ projection.weight.T + projection.bias for projection in both._projections
    ]
    assert both.get_output_dim() == 10
    words = (ids > 0).any(-1)
    assert_near(both(ids)[words], torch.cat(projected, dim=-1)[words])


@pytest.mark.parametrize("mix", ["last", "average", 0, 1])
def test_each_kind_of_mix(files: Files, mix: Any) -> None:
    ids = batch_to_ids(SENTENCES)
    layers = load_bilm(*files)(ids).layers
    expected = {"last": layers[2], "average": layers.mean(0), 0: layers[0], 1: layers[1]}[mix]
    assert_near(make_embedder(files, mix=mix)(ids), expected)


def test_warm_state(tmp_path: Path) -> None:
    bilm = random_bilm()
    torch.nn.init.normal_(bilm.warm_hidden, std=0.1)
    torch.nn.init.normal_(bilm.warm_cell, std=0.1)
    files = save(bilm, tmp_path)
    ids = batch_to_ids(SENTENCES)
    warm = make_embedder(files, mix="last", initial_state="warm")(ids)
    assert_near(warm, load_bilm(*files, initial_state="warm")(ids).layers[2])
    assert (warm - make_embedder(files, mix="last")(ids)).abs().max() > 0.01


@pytest.mark.parametrize("requires_grad", [False, True])
def test_bilm_is_frozen_by_default(files: Files, requires_grad: bool) -> None:
    ours = make_embedder(files, requires_grad=requires_grad, dropout=0.0).train()
    vectors = ours(batch_to_ids(SENTENCES))
    assert_near(vectors, ours.eval()(batch_to_ids(SENTENCES)))  # no dropout inside the biLM
    vectors.square().sum().backward()
    trained = {name for name, p in ours.named_parameters() if p.grad is not None and p.grad.any()}
    mix = {"_elmo.scalar_mixes.0.gamma", "_elmo.scalar_mixes.0.scalar_parameters"}
    assert trained == ({name for name, _ in ours.named_parameters()} if requires_grad else mix)


def test_half_of_the_representation_is_dropped_by_default(files: Files) -> None:
    ours = make_embedder(files)
    ids = batch_to_ids(SENTENCES[:1] * 50)
    kept = ours(ids)
    dropped = ours.train()(ids)
    zero = dropped == 0
    assert 0.45 < zero.float().mean() < 0.55
    assert_near(dropped[~zero], 2 * kept[~zero])


def test_every_mix_has_its_own_regularizer(files: Files) -> None:
    class Tagger(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedder = make_embedder(files, num_output_representations=2)

    def penalty(*regexes: str) -> float:
        pairs = [[regex, {"type": "l2", "alpha": 0.1}] for regex in regexes]
        regularizer = RegularizerApplicator.from_params(Params({"regexes": pairs}))
        return float(regularizer(tagger).detach())

    tagger = Tagger()
    first, second = (mix.scalar_parameters for mix in tagger.embedder._elmo.scalar_mixes)
    torch.nn.init.constant_(first, 1.0)
    torch.nn.init.constant_(second, 2.0)
    assert penalty(".*scalar_parameters.*") == pytest.approx(0.1 * (3 * 1 + 3 * 4))
    assert penalty(r"scalar_mixes\.0\.scalar_parameters") == pytest.approx(0.1 * 3)
    assert penalty(r"scalar_mixes\.1\.scalar_parameters") == pytest.approx(0.1 * 3 * 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"weight_file": None},
            "options_file and weight_file: expected both, .*got .*json and None",
        ),
        ({"options_file": None}, "expected both, .*got None and .*hdf5"),
        ({"weight_file": "nowhere.hdf5"}, "weight_file nowhere.hdf5: .*--overrides"),
        ({"mix": "middle"}, "middle"),
        ({"mix": 3}, "from 0 to 2, got 3"),
        ({"initial_state": "cold"}, "zero, warm, carried, got 'cold'"),
        ({"initial_state": "warm"}, "expected a warm initial state"),
        ({"num_output_representations": 0}, "at least 1, got 0"),
        ({"scalar_mix_parameters": [1.0]}, "expected 3, one per layer, got 1"),
        ({"scalar_mix_parameters": [1e300, 0.0, 0.0]}, "expected numbers of float32"),
        ({"projection": 3}, "projection"),
        ({"projection_dim": 0}, "projection_dim: expected at least 1, got 0"),
        ({"cache_gigabytes": -1.0}, "cache_gigabytes: expected a number from 0"),
        ({"cache_gigabytes": 1e300}, "cache_gigabytes: expected a number from 0"),
    ],
    ids=str,
)
def test_invalid_arguments_raise(files: Files, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        make_embedder(files, **arguments)


def test_files_that_do_not_fit_raise(files: Files, tmp_path: Path) -> None:
    wider = BilmConfig(filters=SMALL.filters, character_dim=4, projection_dim=9, cell_dim=16)
    other = save(random_bilm(wider), tmp_path)
    with pytest.raises(ConfigurationError, match=r"CNN_proj/W_proj: expected shape \(28, 8\)"):
        make_embedder(Files(files.options, other.weights))


def test_another_max_characters_raises(files: Files) -> None:
    with pytest.raises(ConfigurationError, match=r"expected 50 characters per word.*, got 20"):
        make_embedder(files)(torch.ones(1, 2, 20, dtype=torch.long))


def test_batch_of_empty_texts_raises(files: Files) -> None:
    text = Instance({"text": TextField([], {"elmo": ElmoCharactersIndexer()})})
    batch = Batch([text, text])
    batch.index_instances(Vocabulary())
    with pytest.raises(ConfigurationError, match="expected a text with tokens, got a batch of"):
        make_embedder(files)(**batch.as_tensor_dict()["text"]["elmo"])


def test_gamma_stays_one_on_request(files: Files) -> None:
    ours = make_embedder(files, train_gamma=False, num_output_representations=2)
    trained = {name for name, p in ours.named_parameters() if p.requires_grad}
    assert trained == {f"_elmo.scalar_mixes.{k}.scalar_parameters" for k in range(2)}
