"""Scoring and training a biLM in plain PyTorch, against the NumPy reference."""

from __future__ import annotations

import math
from pathlib import Path

import numpy
import pytest
import torch

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.layers.language_model import IGNORE_INDEX, LanguageModel
from elmo_plugin.layers.lstm import LstmState
from elmo_plugin.layers.perplexity import PerplexitySum
from elmo_plugin.layers.softmax import Softmax
from tests.helpers.random_bilm import SMALL, random_bilm, save
from tests.reference.numpy_bilm import NumpyBilm

WORDS = ["<S>", "</S>", "the", "cat", "sat", "on", "mat", "한국어"]
SENTENCES = [["the", "cat", "sat"], ["on"], ["한국어", "the", "mat", "on", "the", "mat"], []]
Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def _model(**options: float) -> LanguageModel:
    torch.manual_seed(0)
    softmax = Softmax(len(WORDS), SMALL.projection_dim)
    torch.nn.init.normal_(softmax.bias)
    return LanguageModel(random_bilm(), softmax, **options)  # type: ignore[arg-type]


def _batch(sentences: list[list[str]]) -> Batch:
    """Each sentence with its boundaries, in both reading orders; here, words are their own ids."""
    longest = max(map(len, sentences)) + 1
    inputs = torch.zeros(2, len(sentences), longest, dtype=torch.long)
    targets = torch.full_like(inputs, IGNORE_INDEX)
    for row, words in enumerate(sentences):
        ids = torch.tensor([WORDS.index(word) for word in ["<S>", *words, "</S>"]])
        for direction, order in enumerate((ids, ids.flip(0))):
            inputs[direction, row, : len(ids) - 1] = order[:-1]
            targets[direction, row, : len(ids) - 1] = order[1:]
    return batch_to_ids([WORDS])[0], inputs, targets


def _expected_log_likelihoods(model: LanguageModel, folder: Path) -> numpy.ndarray:
    reference = NumpyBilm(*save(model.bilm, folder))
    weight, bias = (p.detach().double().numpy() for p in model.softmax.parameters())
    expected = numpy.zeros((2, len(SENTENCES)))
    for row, words in enumerate(SENTENCES):
        layers, _ = reference.sentence_with_boundaries(words)
        forward, backward = numpy.split(layers[-1], 2, axis=-1)
        predictions = ((forward[:-1], [*words, "</S>"]), (backward[1:], ["<S>", *words]))
        for direction, (hidden, targets) in enumerate(predictions):
            scores = hidden @ weight.T + bias
            ids = [WORDS.index(word) for word in targets]
            log_totals = numpy.log(numpy.exp(scores).sum(-1))
            expected[direction, row] = (scores[range(len(ids)), ids] - log_totals).sum()
    return expected


@pytest.mark.parametrize(
    "rows, layers, hidden, cell", [(1, 2, 0, 0), (4, 1, 0, 0), (4, 2, 1, 0), (4, 2, 0, -1)]
)
def test_states_of_other_sizes_raise(rows: int, layers: int, hidden: int, cell: int) -> None:
    """Compiled loops would read other memory."""
    model = _model()
    dims = SMALL.projection_dim + hidden, SMALL.cell_dim + cell
    states = [LstmState(*(torch.zeros(2, rows, dim) for dim in dims)) for _ in range(layers)]
    with pytest.raises(ValueError, match="states: expected one per layer, 2, of the shapes"):
        model(*_batch(SENTENCES), states)


def test_autocast_changes_nothing_in_training() -> None:
    """With few predictions, the products are PyTorch's."""
    for sentences in (SENTENCES[1:2], SENTENCES):
        losses, gradients = [], []
        for enabled in (False, True):
            model = _model(num_samples=3).train()
            torch.manual_seed(0)
            with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
                losses.append(model(*_batch(sentences)).loss)
            losses[-1].backward()
            gradients.append([parameter.grad for parameter in model.parameters()])
        torch.testing.assert_close(*losses)
        torch.testing.assert_close(*gradients)


def test_autocast_changes_nothing_in_evaluation() -> None:
    """AllenNLP validates under autocast if it trains so."""
    model, batch = _model().eval(), _batch(SENTENCES)
    with torch.no_grad():
        expected = model(*batch).loss
        with torch.autocast("cpu", torch.bfloat16):
            assert torch.equal(model(*batch).loss, expected)


def test_compiled_model_equals_others() -> None:
    torch.compiler.reset()
    model = _model().eval()
    compiled = torch.compile(model, backend="eager")
    with torch.no_grad():
        found, expected = (one(*_batch(SENTENCES)).loss for one in (compiled, model))
    torch.testing.assert_close(found, expected)


def test_log_likelihoods_equal_numpy(tmp_path: Path) -> None:
    model = _model().eval()
    output = model(*_batch(SENTENCES))
    expected = _expected_log_likelihoods(model, tmp_path)
    numpy.testing.assert_allclose(output.log_likelihoods.detach(), expected, rtol=1e-5)
    assert output.loss.item() == pytest.approx(-expected.mean(), rel=1e-5)
    lengths = [len(words) + 1 for words in SENTENCES]
    assert output.num_predictions.tolist() == [lengths, lengths]
    tokens = output.token_log_likelihoods
    torch.testing.assert_close(tokens.sum(-1), output.log_likelihoods)
    assert ((tokens != 0).sum(-1) == output.num_predictions).all()


def test_perplexity_over_batches_equals_numpy(tmp_path: Path) -> None:
    model, total = _model().eval(), PerplexitySum()
    for sentences in (SENTENCES[:1], SENTENCES[1:]):
        output = model(*_batch(sentences))
        total.add(-output.log_likelihoods.detach().sum(1), output.num_predictions.sum(1))
    predictions = sum(len(words) + 1 for words in SENTENCES)
    means = -_expected_log_likelihoods(model, tmp_path).sum(1) / predictions
    names = ("forward_perplexity", "backward_perplexity", "perplexity")
    expected = dict(zip(names, map(math.exp, (*means, means.mean()))))
    assert total.perplexities() == pytest.approx(expected, rel=1e-5)


def test_states_continue_a_text() -> None:
    model = _model().eval()
    words, inputs, targets = _batch([SENTENCES[2]])
    whole = model(words, inputs, targets)
    first = model(words, inputs[..., :3], targets[..., :3])
    second = model(words, inputs[..., 3:], targets[..., 3:], first.states)
    torch.testing.assert_close(
        first.log_likelihoods + second.log_likelihoods, whole.log_likelihoods
    )
    from_zero = model(words, inputs[..., 3:], targets[..., 3:])
    assert not torch.allclose(from_zero.log_likelihoods, second.log_likelihoods)
    assert not any(s.requires_grad for state in first.states for s in state)


@pytest.mark.parametrize("num_samples", [None, 3])
def test_training_in_plain_pytorch_lowers_perplexity(num_samples: int | None) -> None:
    torch.manual_seed(0)
    config = BilmConfig(filters=((1, 8), (3, 8)), projection_dim=8, cell_dim=16)
    softmax = Softmax(len(WORDS), config.projection_dim)
    model = LanguageModel(Bilm(config), softmax, dropout=0.1, num_samples=num_samples)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    batch = _batch(SENTENCES)
    before = model.eval()(*batch).loss.item()
    model.train()
    for _ in range(30):
        optimizer.zero_grad()
        model(*batch).loss.backward()
        optimizer.step()
    assert model.eval()(*batch).loss.item() < 0.8 * before


def test_training_the_softmax_alone() -> None:
    model = _model()
    model(*_batch(SENTENCES), train_bilm=False).loss.backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None
        assert parameter.grad.any() == name.startswith("softmax."), name


def test_sampling_in_training_only() -> None:
    model, batch = _model(num_samples=3), _batch(SENTENCES)
    full = _model()
    assert torch.equal(model.eval()(*batch).loss, full.eval()(*batch).loss)
    assert not torch.equal(model.train()(*batch).loss, full.train()(*batch).loss)
    assert _model(num_samples=len(WORDS)).sampler is None


def test_state_dict_has_two_parts() -> None:
    assert {name.split(".")[0] for name in _model().state_dict()} == {"bilm", "softmax"}
