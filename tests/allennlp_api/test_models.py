"""Models of AllenNLP's that take an `Elmo`, with ours."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from allennlp.data import Vocabulary
from allennlp.modules import FeedForward, Maxout
from allennlp.modules import elmo as allennlp_elmo
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.nn import Activation
from allennlp_models.classification import BiattentiveClassificationNetwork

from elmo_plugin.allennlp_api import Elmo, batch_to_ids
from tests.helpers.elmo_embedders import assert_near, stateless
from tests.helpers.random_bilm import Files

DIM = 16
SENTENCES = [["First", "sentence", "."], ["Another", "."]]


def make_bcn(elmo: Any) -> BiattentiveClassificationNetwork:
    torch.manual_seed(0)
    vocabulary = Vocabulary()
    vocabulary.add_tokens_to_namespace(["good", "bad"], "labels")
    encoder, integrator = (
        PytorchSeq2SeqWrapper(torch.nn.LSTM(size, 4, bidirectional=True, batch_first=True))
        for size in (8, 24)
    )
    return BiattentiveClassificationNetwork(
        vocabulary,
        BasicTextFieldEmbedder({}),
        0.0,
        FeedForward(DIM, 1, 8, Activation.by_name("relu")()),
        encoder,
        integrator,
        0.0,
        Maxout((8 + DIM) * 4, 1, 2, 2, 0.0),
        elmo=elmo,
        use_input_elmo=True,
        use_integrator_output_elmo=True,
    ).eval()


def test_allennlps_own_model(files: Files) -> None:
    # allennlp_models' BiattentiveClassificationNetwork has a parameter `elmo: Elmo`.
    ours = make_bcn(Elmo(*files, 2, dropout=0.0))
    theirs = make_bcn(stateless(allennlp_elmo.Elmo(*map(str, files), 2, dropout=0.0)))
    tokens = {"elmo": {"elmo_tokens": batch_to_ids(SENTENCES)}}
    label = torch.tensor([0, 1])
    found, expected = ours(tokens, label), theirs(tokens, label)
    assert_near(found["loss"], expected["loss"])
    found["loss"].backward()
    expected["loss"].backward()
    mixes = [m._elmo.scalar_mix_0.gamma.grad for m in (ours, theirs)]
    assert mixes[0].any() and mixes[0].item() == pytest.approx(mixes[1].item(), abs=1e-5)
