from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.data.batch import Batch
from allennlp.data.data_loaders import SimpleDataLoader
from allennlp.models import Model
from allennlp.training.util import evaluate

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.lm_batches import LmBatchBuilder, TokenSequence
from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary
from elmo_plugin.layers.sampled_softmax import LogUniformSampler, sampled_negative_log_likelihood
from elmo_plugin.models.bilm import BilmModel
from tests.helpers.random_bilm import SMALL, random_bilm, save
from tests.reference.numpy_bilm import NumpyBilm

Text = dict[str, torch.Tensor]

WORDS = [f"word{i}" for i in range(30)]
SENTENCES = [[WORDS[(i * k + k) % 30] for i in range(k % 9 + 1)] for k in range(67)] + [
    ["unheard", "of", "한국어"],
    [],
]
READER = BilmTextReader()
PUBLISHED_CLIPS = {"cell_clip": 3.0, "projection_clip": 3.0}


@pytest.fixture
def vocabulary(tmp_path: Path) -> Vocabulary:
    (tmp_path / "text").write_text(" ".join(WORDS))
    return BilmVocabulary.from_text(str(tmp_path / "text"))


def _model(vocabulary: Vocabulary, **options: Any) -> BilmModel:
    """A model with random weights in training mode."""
    sizes = asdict(SMALL)
    model = BilmModel(vocabulary, **{**sizes, "dropout": 0.0, "num_samples": None, **options})
    model.bilm.load_state_dict(random_bilm().state_dict())
    torch.manual_seed(0)
    torch.nn.init.normal_(model.softmax.weight)
    torch.nn.init.normal_(model.softmax.bias)
    return model


def _batch(vocabulary: Vocabulary, sentences: Sequence[list[str]]) -> Text:
    batch = Batch([READER.text_to_instance(sentence) for sentence in sentences])
    batch.index_instances(vocabulary)
    return batch.as_tensor_dict()["text"]


def _window(vocabulary: Vocabulary, start: int, steps: int, rows: int = 3) -> Text:
    """Window of endless rows, from step `start` on."""
    span = range(start, start + steps + 1)
    streams = [[WORDS[(i * (r + 2) + r) % 30] for i in span] for r in range(2 * rows)]
    cut = [TokenSequence(words[:-1], words[1:]) for words in streams]
    word_ids = vocabulary.get_token_to_index_vocabulary("bilm")
    return LmBatchBuilder(word_ids).build(cut[:rows], cut[rows:])


def _gradients(model: BilmModel) -> dict[str, torch.Tensor]:
    gradients = {}
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        gradients[name] = parameter.grad.clone()
    model.zero_grad()
    return gradients


def _relative_error(found: torch.Tensor, expected: torch.Tensor) -> float:
    return ((found - expected).norm() / expected.norm()).item()


class TestEvaluation:
    def test_log_likelihoods_equal_numpy(self, vocabulary: Vocabulary, tmp_path: Path) -> None:
        model = _model(vocabulary).eval()
        reference = NumpyBilm(*save(model.bilm, tmp_path))
        weight, bias = (p.detach().double().numpy() for p in model.softmax.parameters())
        names = vocabulary.get_token_to_index_vocabulary("bilm")

        def log_likelihood(hidden: numpy.ndarray, words: list[str]) -> float:
            scores = hidden @ weight.T + bias
            log_totals = numpy.log(numpy.exp(scores).sum(-1))
            ids = [names.get(word, names["<UNK>"]) for word in words]
            return (scores[numpy.arange(len(ids)), ids] - log_totals).sum()

        sentences = [*SENTENCES[:12], *SENTENCES[-2:]]
        expected = numpy.zeros((2, len(sentences)))
        for i, words in enumerate(sentences):
            layers, _ = reference.sentence_with_boundaries(words)
            forward, backward = numpy.split(layers[-1], 2, axis=-1)
            expected[0, i] = log_likelihood(forward[:-1], [*words, "</S>"])
            expected[1, i] = log_likelihood(backward[1:], ["<S>", *words])
        output = model(_batch(vocabulary, sentences))
        for name, values in zip(("forward", "backward"), expected):
            found = output[f"{name}_log_likelihood"].detach()
            numpy.testing.assert_allclose(found, values, rtol=1e-5)
        assert output["loss"].item() == pytest.approx(-expected.mean(), rel=1e-5)

        predictions = sum(len(words) + 1 for words in sentences)
        metrics = model.get_metrics(reset=True)
        assert metrics == pytest.approx(
            {
                "forward_perplexity": math.exp(-expected[0].sum() / predictions),
                "backward_perplexity": math.exp(-expected[1].sum() / predictions),
                "perplexity": math.exp(-expected.sum() / (2 * predictions)),
            },
            rel=1e-5,
        )
        assert model.get_metrics() == {}

    def test_perplexity_does_not_depend_on_batches(self, vocabulary: Vocabulary) -> None:
        model = _model(vocabulary, num_samples=8)
        found = []
        for batch_size, order in ((1, 1), (3, 1), (64, 1), (64, -1)):
            sentences = [READER.text_to_instance(sentence) for sentence in SENTENCES[::order]]
            loader = SimpleDataLoader(sentences, batch_size, vocab=vocabulary)
            loader.index_with(vocabulary)
            metrics = evaluate(model, loader)
            found.append({k: v for k, v in metrics.items() if "perplexity" in k})
        assert len(found[0]) == 3
        for other in found[1:]:
            assert other == pytest.approx(found[0], rel=1e-6)

    def test_each_direction_depends_on_the_words_before_it_only(
        self, vocabulary: Vocabulary
    ) -> None:
        model = _model(vocabulary).eval()
        words = WORDS[:6]
        for changed in range(6):
            other = [*words[:changed], WORDS[20], *words[changed + 1 :]]
            text = _batch(vocabulary, [words, other])
            # Scored on the words that are read before the changed one, each in its direction.
            text["targets"][0, :, changed:] = -1
            text["targets"][1, :, 5 - changed :] = -1
            output = model(text)
            for name in ("forward_log_likelihood", "backward_log_likelihood"):
                first, second = output[name].tolist()
                assert first == pytest.approx(second, rel=1e-6)
            # On one more, whose context is the same, they part, as it is itself another word.
            text = _batch(vocabulary, [words, other])
            text["targets"][0, :, changed + 1 :] = -1
            text["targets"][1, :, 6 - changed :] = -1
            output = model(text)
            for name in ("forward_log_likelihood", "backward_log_likelihood"):
                first, second = output[name].tolist()
                assert abs(first - second) > 1e-3

    def test_evaluation_does_not_change_training(self, vocabulary: Vocabulary) -> None:
        losses = []
        for evaluated in (False, True):
            model = _model(vocabulary)
            model(_window(vocabulary, 0, 4))
            if evaluated:
                model.eval()
                model(_batch(vocabulary, SENTENCES[:5]))
                model(_window(vocabulary, 0, 4))
                model.train()
            losses.append(model(_window(vocabulary, 4, 4))["loss"].item())
        assert losses[0] == losses[1]

    def test_evaluation_starts_from_the_zero_state(self, vocabulary: Vocabulary) -> None:
        model = _model(vocabulary).eval()
        text = _window(vocabulary, 0, 4)
        before = model(text)["forward_log_likelihood"]
        model.train()
        model(text)
        model.eval()
        assert torch.equal(model(text)["forward_log_likelihood"], before)

    def test_prediction_of_a_batch_does_not_warn(
        self, vocabulary: Vocabulary, caplog: pytest.LogCaptureFixture
    ) -> None:
        model = _model(vocabulary).eval()
        instances = [READER.text_to_instance(sentence) for sentence in SENTENCES[:3]]
        with caplog.at_level(logging.WARNING):
            outputs = model.forward_on_instances(instances)
        assert not caplog.records
        names = {"forward_log_likelihood", "backward_log_likelihood"}
        assert [set(output) for output in outputs] == [names] * 3


class TestTraining:
    def test_loss_is_per_row(self, vocabulary: Vocabulary) -> None:
        model = _model(vocabulary)
        loss = model(_window(vocabulary, 0, 5))["loss"].item()
        assert loss == pytest.approx(5 * math.log(model.get_metrics()["perplexity"]), rel=1e-6)

    def test_state_is_carried_from_batch_to_batch(self, vocabulary: Vocabulary) -> None:
        whole, parts = _model(vocabulary), _model(vocabulary)
        expected = whole(_window(vocabulary, 0, 9))["loss"].item()
        losses = [parts(_window(vocabulary, *part))["loss"].item() for part in ((0, 4), (4, 5))]
        assert sum(losses) == pytest.approx(expected, rel=1e-6)
        # Not because the state makes no difference.
        alone = _model(vocabulary)(_window(vocabulary, 4, 5))["loss"].item()
        assert abs(losses[1] - alone) > 1e-3

    def test_backpropagation_ends_where_the_batch_begins(self, vocabulary: Vocabulary) -> None:
        model = _model(vocabulary)
        first, second = _window(vocabulary, 0, 4), _window(vocabulary, 4, 4)
        model(first)["loss"].backward()
        _gradients(model)
        model(second)["loss"].backward()
        found = _gradients(model)
        with torch.no_grad():
            zero = model.bilm.zero_states(3)
            _, states = model.bilm.run_streams(first["words"], first["inputs"], zero)
        hidden, _ = model.bilm.run_streams(second["words"], second["inputs"], states)
        losses = model.softmax(hidden.flatten(0, 2), second["targets"].flatten())
        (losses.sum() / 6).backward()
        expected = _gradients(model)
        assert expected["softmax.weight"].any()
        torch.testing.assert_close(found, expected)

    def test_another_number_of_streams_starts_from_the_zero_state(
        self, vocabulary: Vocabulary
    ) -> None:
        model = _model(vocabulary)
        model(_window(vocabulary, 0, 4, rows=3))
        text = _window(vocabulary, 0, 4, rows=2)
        assert model(text)["loss"].item() == _model(vocabulary)(text)["loss"].item()

    def test_directions_share_token_layer_and_softmax(self, vocabulary: Vocabulary) -> None:
        shared, own = [], []
        for direction in range(2):
            model = _model(vocabulary)
            text = _window(vocabulary, 0, 4)
            text["targets"][1 - direction] = -1
            model(text)["loss"].backward()
            gradients = _gradients(model)
            for name, gradient in gradients.items():
                if name.startswith("bilm.lstm."):
                    assert gradient[direction].any() and not gradient[1 - direction].any()
                    own.append(name)
                else:
                    assert name.startswith(("bilm.token_encoder.", "softmax."))
                    assert gradient.any()
                    shared.append(name)
        assert len(own) == 2 * 4 * SMALL.num_layers
        assert len(shared) + len(own) == 2 * len(list(model.parameters()))

    def test_full_softmax_reports_perplexity(self, vocabulary: Vocabulary) -> None:
        model = _model(vocabulary)
        output = model(_window(vocabulary, 0, 4))
        assert set(output) == {"loss"}
        names = {"forward_perplexity", "backward_perplexity", "perplexity"}
        assert set(model.get_metrics(reset=True)) == names
        assert model.get_metrics() == {}

    def test_samples_report_a_sampled_loss(self, vocabulary: Vocabulary) -> None:
        model = _model(vocabulary, num_samples=8)
        text = _window(vocabulary, 0, 4)
        torch.manual_seed(1)
        output = model(text)
        assert set(output) == {"loss"}
        metrics = model.get_metrics(reset=True)
        assert set(metrics) == {"sampled_loss"}
        assert metrics["sampled_loss"] == pytest.approx(output["loss"].item() / 4, rel=1e-6)
        # One set of samples for all predictions of a batch, both directions'.
        hidden, _ = model.bilm.run_streams(text["words"], text["inputs"], model.bilm.zero_states(3))
        torch.manual_seed(1)
        losses = sampled_negative_log_likelihood(
            model.softmax,
            LogUniformSampler(33, 8),
            hidden.flatten(0, 2),
            text["targets"].flatten(),
        )
        assert losses.mean().item() == pytest.approx(metrics["sampled_loss"], rel=1e-6)

    def test_evaluation_after_sampling_reports_perplexity_only(
        self, vocabulary: Vocabulary
    ) -> None:
        model = _model(vocabulary, num_samples=8)
        model(_window(vocabulary, 0, 4))
        model.get_metrics(reset=True)
        model.eval()
        model(_batch(vocabulary, SENTENCES[:3]))
        expected = _model(vocabulary).eval()
        expected(_batch(vocabulary, SENTENCES[:3]))
        assert model.get_metrics() == expected.get_metrics()

    @pytest.mark.parametrize("place", ["output", "inputs"])
    def test_dropout_of_inputs_and_of_the_output(self, place: str, vocabulary: Vocabulary) -> None:
        model = _model(vocabulary, dropout=0.5)
        other = model.bilm.lstm.dropout if place == "output" else model.language_model.dropout
        other.p = 0.0
        text = _window(vocabulary, 0, 4)
        losses = set()
        for _ in range(3):
            model._states = []
            losses.add(model(text)["loss"].item())
        assert len(losses) == 3
        model.eval()
        plain = _model(vocabulary).eval()
        assert model(text)["loss"].item() == plain(text)["loss"].item()


class TestPrecision:
    @pytest.mark.parametrize("num_samples", [None, 16])
    def test_bfloat16_is_near_float32(
        self, num_samples: int | None, vocabulary: Vocabulary
    ) -> None:
        losses, gradients = [], []
        for precision in ("float32", "bfloat16"):
            options = {"precision": precision, "num_samples": num_samples, **PUBLISHED_CLIPS}
            model = _model(vocabulary, **options)
            torch.manual_seed(1)
            loss = model(_window(vocabulary, 0, 10))["loss"]
            assert loss.dtype == torch.float32
            loss.backward()
            losses.append(loss.item())
            gradients.append(_gradients(model))
        # With a mantissa of eight bits, each operand is off by up to 0.4 percent.
        assert losses[1] == pytest.approx(losses[0], rel=1e-3)
        assert losses[1] != losses[0]
        for name, expected in gradients[0].items():
            found = gradients[1][name]
            assert found.dtype == torch.float32
            # The gradient of a maximum may fall on another character.
            before_maximum = "characters" in name or "convolutions" in name
            assert _relative_error(found, expected) < (0.2 if before_maximum else 0.015), name

    def test_evaluation_is_exact(self, vocabulary: Vocabulary) -> None:
        exact, rough = (_model(vocabulary, precision=p).eval() for p in ("float32", "bfloat16"))
        text = _batch(vocabulary, SENTENCES[:8])
        expected, found = exact(text), rough(text)
        for name in ("forward_log_likelihood", "backward_log_likelihood"):
            assert torch.equal(found[name], expected[name])


class TestConfiguration:
    def test_parameters_of_a_configuration(self, vocabulary: Vocabulary) -> None:
        params = Params({"type": "bilm", "filters": [[1, 4], [3, 8]], "num_samples": 5})
        params.params.update(projection_dim=8, cell_dim=16, cell_clip=None, residual=False)
        model = Model.from_params(params, vocab=vocabulary)
        assert isinstance(model, BilmModel)
        expected = replace(
            SMALL,
            filters=((1, 4), (3, 8)),
            character_dim=16,
            cell_clip=None,
            projection_clip=3.0,
            residual=False,
        )
        assert model.bilm.config == expected
        assert model.softmax.weight.shape == (33, 8)
        assert model.language_model.sampler is not None
        assert model.language_model.sampler.num_samples == 5
        assert model.language_model.dropout.p == model.bilm.lstm.dropout.p == 0.1

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"num_samples": 0}, "num_samples: expected from 1 to 32 .* got 0"),
            ({"precision": "float16"}, "precision: expected float32 or bfloat16, got 'float16'"),
            ({"filters": [[51, 2]]}, "filters: expected a width from 1 to 50, got 51"),
            ({"cell_dim": 0}, "cell_dim: expected a whole number from 1 to 1048576, got 0"),
            ({"activation": "gelu"}, "activation: .* got 'gelu'"),
            ({"dropout": 1.5}, "dropout .* 1.5"),
        ],
        ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
    )
    def test_errors_name_the_key(
        self, options: dict[str, Any], message: str, vocabulary: Vocabulary
    ) -> None:
        with pytest.raises(ConfigurationError, match=message):
            _model(vocabulary, **options)

    @pytest.mark.parametrize("num_samples", [32, 33, 8192])
    def test_full_softmax_unless_samples_are_fewer_than_words(
        self, num_samples: int, vocabulary: Vocabulary
    ) -> None:
        model = _model(vocabulary, num_samples=num_samples)
        assert (model.language_model.sampler is None) == (num_samples >= 33)
        model(_window(vocabulary, 0, 4))
        assert ("perplexity" in model.get_metrics()) == (num_samples >= 33)

    def test_other_vocabularies_raise(self) -> None:
        instances = [READER.text_to_instance(sentence) for sentence in SENTENCES]
        for vocabulary in (Vocabulary.from_instances(instances), Vocabulary()):
            with pytest.raises(ConfigurationError, match=r"vocabulary: expected .* bilm_text"):
                _model(vocabulary)

    def test_another_max_characters_in_the_reader_raises(self, vocabulary: Vocabulary) -> None:
        batch = Batch([BilmTextReader(max_characters=20).text_to_instance(["word1"])])
        batch.index_instances(vocabulary)
        message = "max_characters: expected the model's 50, got words of 20 characters"
        with pytest.raises(ConfigurationError, match=message):
            _model(vocabulary)(**batch.as_tensor_dict())
