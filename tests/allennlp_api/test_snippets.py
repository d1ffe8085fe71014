"""Calls that public code makes of AllenNLP's ELMo, with the import lines changed."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import h5py
import numpy
import torch
from allennlp.data import Vocabulary
from allennlp.data.token_indexers.elmo_indexer import ELMoTokenCharactersIndexer
from allennlp.data.tokenizers import Token
from allennlp.modules import elmo as allennlp_elmo
from scipy.spatial.distance import cosine

# from allennlp.modules.elmo import Elmo, _ElmoBiLm, batch_to_ids
# from allennlp.commands.elmo import ElmoEmbedder
from elmo_plugin.allennlp_api import Elmo, ElmoEmbedder, _ElmoBiLm, batch_to_ids
from tests.helpers.elmo_embedders import assert_near, stateless
from tests.helpers.random_bilm import Files

DIM = 16
SENTENCES = [["First", "sentence", "."], ["Another", "."]]


def test_tutorial_module(files: Files) -> None:
    # AllenNLP, tutorials/how_to/elmo.md: "Using ELMo as a PyTorch Module to train a new model"
    elmo = Elmo(str(files.options), str(files.weights), 2, dropout=0)
    embeddings = elmo(batch_to_ids(SENTENCES))
    assert [r.shape for r in embeddings["elmo_representations"]] == [(2, 3, DIM)] * 2
    assert embeddings["mask"].tolist() == [[True] * 3, [True, True, False]]


def test_tutorial_embedder() -> None:
    # AllenNLP, tutorials/how_to/elmo.md: "Using ELMo interactively"
    elmo = ElmoEmbedder()
    tokens = ["I", "ate", "an", "apple", "for", "breakfast"]
    vectors = elmo.embed_sentence(tokens)
    assert (len(vectors), len(vectors[0])) == (3, len(tokens))
    carrot = elmo.embed_sentence(["I", "ate", "a", "carrot", "for", "breakfast"])
    assert 0 < cosine(vectors[2][3], carrot[2][3]) < 1
    # The first layer encodes words without their context.
    assert numpy.array_equal(vectors[0][0], carrot[0][0])


def test_tutorial_file(files: Files, tmp_path: Path) -> None:
    # AllenNLP, tutorials/how_to/elmo.md: "Writing contextual representations to disk"
    lines = io.StringIO("Bitcoin has a sixty percent share of search .\nSo they say .\n")
    ElmoEmbedder(*files).embed_file(lines, str(tmp_path / "elmo_layers.hdf5"), "all")
    with h5py.File(tmp_path / "elmo_layers.hdf5", "r") as h5py_file:
        embedding = h5py_file.get("0")
        assert (len(embedding), len(embedding[0])) == (3, 9)


def test_flair(files: Files) -> None:
    # flairNLP/flair, flair/embeddings/legacy.py: ELMoEmbeddings
    paths = {"options_file": str(files.options), "weight_file": str(files.weights)}
    embedder = ElmoEmbedder(**paths, cuda_device=-1)
    for words, layers in zip(SENTENCES, embedder.embed_batch(SENTENCES)):
        for i in range(len(words)):
            token = torch.cat([torch.FloatTensor(layers[k, i, :]) for k in range(3)], 0)
            assert token.shape == (3 * DIM,)


def test_seqvec(files: Files) -> None:
    # mheinzinger/SeqVec, README.md
    seqvec = ElmoEmbedder(files.options, files.weights, cuda_device=-1)
    embedding = seqvec.embed_sentence(list("SEQWENCE"))
    residues = torch.tensor(embedding).sum(dim=0)
    assert residues.shape == (8, DIM)
    assert residues.mean(dim=0).shape == (DIM,)
    assert len(list(seqvec.embed_sentences([list("SEQ"), list("WENCE")], batch_size=1))) == 2


def test_hierarchical_typing(files: Files) -> None:
    # ctongfei/hierarchical-typing, ELMoContextualizer
    elmo = ElmoEmbedder(
        options_file=str(files.options), weight_file=str(files.weights), cuda_device=-1
    )
    for context in (torch.no_grad(), torch.enable_grad()):
        with context:
            vectors, _ = elmo.batch_to_embeddings(SENTENCES)
        assert vectors.shape == (2, 3, 3, DIM)


def test_self_attentive_parser(files: Files) -> None:
    # nikitakit/self-attentive-parser, src/parse_nk.py: boundaries kept, gamma not trained
    elmo = Elmo(
        options_file=str(files.options),
        weight_file=str(files.weights),
        num_output_representations=1,
        requires_grad=False,
        do_layer_norm=False,
        keep_sentence_boundaries=True,
        dropout=0.5,
    )
    elmo.scalar_mix_0.gamma.requires_grad = False
    output = elmo.forward(batch_to_ids(SENTENCES))
    packed = output["elmo_representations"][0][output["mask"].bool()]
    assert packed.view(5 + 4, -1).shape == (9, DIM)
    torch.nn.Linear(DIM, 4)(packed).sum().backward()
    assert elmo.scalar_mix_0.gamma.grad is None


def test_lama(files: Files) -> None:
    # facebookresearch/LAMA, lama/modules/elmo_connector.py: both directions' top layer
    arguments = {"options_file": str(files.options), "weight_file": str(files.weights)}
    elmo_lstm = _ElmoBiLm(**arguments, vocab_to_cache=None)
    theirs = stateless(allennlp_elmo._ElmoBiLm(**arguments, vocab_to_cache=None))
    with torch.no_grad():
        tops = [b(batch_to_ids(SENTENCES))["activations"][-1].cpu() for b in (elmo_lstm, theirs)]
    found, expected = (torch.split(top, DIM // 2, dim=-1) for top in tops)
    for direction, peer in zip(found, expected):
        assert direction.shape == (2, 3 + 2, DIM // 2)
        assert_near(direction, peer)


def test_eznlp(files: Files) -> None:
    # syuoni/eznlp: ELMoEmbedder, with the top layer alone
    elmo = Elmo(files.options, files.weights, 1, dropout=0.0)
    elmo._elmo_lstm._elmo_lstm.stateful = False
    elmo._elmo_lstm.requires_grad_(False)
    elmo.scalar_mix_0.scalar_parameters.requires_grad_(False)
    for parameter in elmo.scalar_mix_0.scalar_parameters[:-1]:
        parameter.data.fill_(-9e10)
    elmo.scalar_mix_0.gamma.requires_grad_(False)
    found = elmo(inputs=batch_to_ids(SENTENCES))["elmo_representations"][0]
    elmo._elmo_lstm._elmo_lstm.reset_states()
    top = ElmoEmbedder(*files).embed_batch(SENTENCES)[0][2]
    assert_near(found[0], torch.from_numpy(top))


def test_regularized_mix_trains(files: Files) -> None:
    # Readers for SQuAD add 'elmo_lambda' times the squares of the three weights to the loss.
    torch.manual_seed(0)
    elmo = Elmo(files.options, files.weights, num_output_representations=1, dropout=0.0)
    project = torch.nn.Linear(elmo.get_output_dim(), 2)
    parameters = [p for p in [*elmo.parameters(), *project.parameters()] if p.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=0.1)
    losses = []
    for _ in range(20):
        hidden = elmo(batch_to_ids(SENTENCES))["elmo_representations"][0]
        loss = torch.nn.functional.cross_entropy(project(hidden)[:, 0], torch.tensor([0, 1]))
        losses.append(loss.item())
        weights = elmo.scalar_mix_0.scalar_parameters
        loss = loss + 0.001 * (weights[0] ** 2 + weights[1] ** 2 + weights[2] ** 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert losses[-1] < losses[0] / 2


class Projected(torch.nn.Module):
    """Embeds ids of the indexer "elmo_characters", as models outside AllenNLP do."""

    def __init__(self, elmo: Any) -> None:
        super().__init__()
        self.elmo = elmo

    def forward(self, sentence: list[str]) -> torch.Tensor:
        tokens = [Token(word) for word in sentence]
        ids = ELMoTokenCharactersIndexer().tokens_to_indices(tokens, Vocabulary())
        return self.elmo(torch.tensor([ids["elmo_tokens"]]))["elmo_representations"][0]


def test_allennlps_indexer(files: Files) -> None:
    found = Projected(Elmo(*files, 1)).eval()(SENTENCES[0])
    theirs = stateless(allennlp_elmo.Elmo(*map(str, files), 1))
    assert_near(found, Projected(theirs).eval()(SENTENCES[0]))
