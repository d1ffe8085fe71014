"""The TokenEmbedder `cove`."""

from pathlib import Path

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.modules import TextFieldEmbedder, TokenEmbedder

from elmo_plugin.modules.token_embedders import CoveTokenEmbedder
from tests.helpers.cove import write_cove

WORDS = {"tokens": {"a": 3, "b": 2, "c": 1}}


def embedder(vocab: Vocabulary, dim: int = 5, **arguments: object) -> TokenEmbedder:
    params = {"type": "cove", "embedding": {"embedding_dim": dim}, **arguments}
    made = TokenEmbedder.from_params(Params(params), vocab=vocab)
    assert isinstance(made, CoveTokenEmbedder)
    return made


@pytest.fixture
def vocab() -> Vocabulary:
    return Vocabulary(WORDS)


@pytest.fixture
def weight_file(tmp_path: Path) -> Path:
    write_cove(tmp_path / "cove.pth", 5, 4)
    return tmp_path / "cove.pth"


def test_output_is_the_top_layer(vocab: Vocabulary, weight_file: Path) -> None:
    cove = embedder(vocab, weight_file=str(weight_file)).eval()
    lstm = torch.nn.LSTM(5, 4, num_layers=2, bidirectional=True, batch_first=True)
    lstm.load_state_dict(torch.load(weight_file, weights_only=True))
    tokens = torch.tensor([[2, 3, 4, 2], [3, 1, 0, 0]])

    vectors = cove(tokens)

    assert vectors.shape == (2, 4, cove.get_output_dim())
    static = cove._embedding.weight[tokens]
    torch.testing.assert_close(vectors[0], lstm(static[:1])[0][0])
    torch.testing.assert_close(vectors[1, :2], lstm(static[1:, :2])[0][0])
    assert not vectors[1, 2:].any()


def test_mix_of_both_layers(vocab: Vocabulary, weight_file: Path) -> None:
    tokens = torch.tensor([[2, 3, 4, 2], [3, 1, 0, 0]])
    weighted = embedder(vocab, weight_file=str(weight_file), mix="weighted").eval()
    layers = weighted._cove(weighted._embedding(tokens), tokens != 0)
    with torch.no_grad():
        weighted._scalar_mix.scalar_parameters.copy_(torch.tensor([0.0, 3.0]).log1p())
        weighted._scalar_mix.gamma.fill_(2.0)
    # softmax(log(1), log(4)) = 1/5, 4/5
    torch.testing.assert_close(weighted(tokens), 2 * (layers[0] + 4 * layers[1]) / 5)
    trained = [name for name, p in weighted.named_parameters() if p.requires_grad]
    assert {name.split(".")[0] for name in trained} == {"_embedding", "_scalar_mix"}

    lower = embedder(vocab, weight_file=str(weight_file), mix=0).eval()
    lower.load_state_dict(
        {**lower.state_dict(), **weighted._embedding.state_dict(prefix="_embedding.")}
    )
    torch.testing.assert_close(lower(tokens), layers[0])
    with pytest.raises(ConfigurationError, match="expected a layer from 0 to 1, got 2"):
        embedder(vocab, weight_file=str(weight_file), mix=2)


def test_cove_is_frozen_by_default(vocab: Vocabulary) -> None:
    trained = {n.split(".")[0] for n, p in embedder(vocab).named_parameters() if p.requires_grad}
    assert trained == {"_embedding"}
    assert all(p.requires_grad for p in embedder(vocab, requires_grad=True).parameters())


def test_text_field_embedder_with_static_vectors(vocab: Vocabulary) -> None:
    static = {"type": "embedding", "embedding_dim": 5}
    token_embedders = {"tokens": dict(static), "cove": {"type": "cove", "embedding": dict(static)}}
    text = TextFieldEmbedder.from_params(Params({"token_embedders": token_embedders}), vocab=vocab)
    tokens = {"tokens": torch.tensor([[2, 3]])}
    assert text({"tokens": tokens, "cove": tokens}).shape == (1, 2, 600 + 5)


def test_static_vectors_of_another_size_raise(vocab: Vocabulary, weight_file: Path) -> None:
    with pytest.raises(ConfigurationError, match="expected the 5 dimensions"):
        embedder(vocab, dim=7, weight_file=str(weight_file))
