"""Log-likelihoods and perplexities of a biLM, and lower precision in training only."""

from __future__ import annotations

import logging
import math
from pathlib import Path

import numpy
import pytest
import torch
from allennlp.data import Vocabulary
from allennlp.data.data_loaders import SimpleDataLoader
from allennlp.training.util import evaluate

from tests.helpers.bfloat16 import needs_bfloat16
from tests.helpers.bilm_models import (
    READER,
    SENTENCES,
    WORDS,
    make_batch,
    make_model,
    make_window,
    take_gradients,
)
from tests.helpers.random_bilm import save
from tests.reference.numpy_bilm import NumpyBilm

PUBLISHED_CLIPS = {"cell_clip": 3.0, "projection_clip": 3.0}


def _relative_error(found: torch.Tensor, expected: torch.Tensor) -> float:
    return ((found - expected).norm() / expected.norm()).item()


class TestEvaluation:
    def test_log_likelihoods_equal_numpy(self, vocabulary: Vocabulary, tmp_path: Path) -> None:
        model = make_model(vocabulary).eval()
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
        output = model(make_batch(vocabulary, sentences))
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
        model = make_model(vocabulary, num_samples=8)
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
        model = make_model(vocabulary).eval()
        words = WORDS[:6]
        for changed in range(6):
            other = [*words[:changed], WORDS[20], *words[changed + 1 :]]
            text = make_batch(vocabulary, [words, other])
            # Scored on the words that are read before the changed one, each in its direction.
            text["targets"][0, :, changed:] = -1
            text["targets"][1, :, 5 - changed :] = -1
            output = model(text)
            for name in ("forward_log_likelihood", "backward_log_likelihood"):
                first, second = output[name].tolist()
                assert first == pytest.approx(second, rel=1e-6)
            # On one more, whose context is the same, they part, as it is itself another word.
            text = make_batch(vocabulary, [words, other])
            text["targets"][0, :, changed + 1 :] = -1
            text["targets"][1, :, 6 - changed :] = -1
            output = model(text)
            for name in ("forward_log_likelihood", "backward_log_likelihood"):
                first, second = output[name].tolist()
                assert abs(first - second) > 1e-3

    def test_evaluation_does_not_change_training(self, vocabulary: Vocabulary) -> None:
        losses = []
        for evaluated in (False, True):
            model = make_model(vocabulary)
            model(make_window(vocabulary, 0, 4))
            if evaluated:
                model.eval()
                model(make_batch(vocabulary, SENTENCES[:5]))
                model(make_window(vocabulary, 0, 4))
                model.train()
            losses.append(model(make_window(vocabulary, 4, 4))["loss"].item())
        assert losses[0] == losses[1]

    def test_evaluation_starts_from_the_zero_state(self, vocabulary: Vocabulary) -> None:
        model = make_model(vocabulary).eval()
        text = make_window(vocabulary, 0, 4)
        before = model(text)["forward_log_likelihood"]
        model.train()
        model(text)
        model.eval()
        assert torch.equal(model(text)["forward_log_likelihood"], before)

    def test_prediction_of_a_batch_does_not_warn(
        self, vocabulary: Vocabulary, caplog: pytest.LogCaptureFixture
    ) -> None:
        model = make_model(vocabulary).eval()
        instances = [READER.text_to_instance(sentence) for sentence in SENTENCES[:3]]
        with caplog.at_level(logging.WARNING):
            outputs = model.forward_on_instances(instances)
        assert not caplog.records
        names = {"forward_log_likelihood", "backward_log_likelihood"}
        assert [set(output) for output in outputs] == [names] * 3


class TestPrecision:
    @needs_bfloat16
    @pytest.mark.parametrize("num_samples", [None, 16])
    def test_bfloat16_is_near_float32(
        self, num_samples: int | None, vocabulary: Vocabulary
    ) -> None:
        losses, gradients = [], []
        for precision in ("float32", "bfloat16"):
            options = {"precision": precision, "num_samples": num_samples, **PUBLISHED_CLIPS}
            model = make_model(vocabulary, **options)
            torch.manual_seed(1)
            loss = model(make_window(vocabulary, 0, 10))["loss"]
            assert loss.dtype == torch.float32
            loss.backward()
            losses.append(loss.item())
            gradients.append(take_gradients(model))
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
        exact, rough = (make_model(vocabulary, precision=p).eval() for p in ("float32", "bfloat16"))
        text = make_batch(vocabulary, SENTENCES[:8])
        expected, found = exact(text), rough(text)
        for name in ("forward_log_likelihood", "backward_log_likelihood"):
            assert torch.equal(found[name], expected[name])
