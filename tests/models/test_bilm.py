"""The loss, gradients and state of a biLM in training."""

from __future__ import annotations

import math

import pytest
import torch
from allennlp.data import Vocabulary

from elmo_plugin.layers.sampled_softmax import LogUniformSampler, sampled_negative_log_likelihood
from tests.helpers.bilm_models import (
    SENTENCES,
    make_batch,
    make_model,
    make_window,
    take_gradients,
)
from tests.helpers.random_bilm import SMALL


class TestTraining:
    def test_loss_is_per_row(self, vocabulary: Vocabulary) -> None:
        model = make_model(vocabulary)
        loss = model(make_window(vocabulary, 0, 5))["loss"].item()
        assert loss == pytest.approx(5 * math.log(model.get_metrics()["perplexity"]), rel=1e-6)

    def test_state_is_carried_from_batch_to_batch(self, vocabulary: Vocabulary) -> None:
        whole, parts = make_model(vocabulary), make_model(vocabulary)
        expected = whole(make_window(vocabulary, 0, 9))["loss"].item()
        losses = [parts(make_window(vocabulary, *part))["loss"].item() for part in ((0, 4), (4, 5))]
        assert sum(losses) == pytest.approx(expected, rel=1e-6)
        # Not because the state makes no difference.
        alone = make_model(vocabulary)(make_window(vocabulary, 4, 5))["loss"].item()
        assert abs(losses[1] - alone) > 1e-3

    def test_backpropagation_ends_where_the_batch_begins(self, vocabulary: Vocabulary) -> None:
        model = make_model(vocabulary)
        first, second = make_window(vocabulary, 0, 4), make_window(vocabulary, 4, 4)
        model(first)["loss"].backward()
        take_gradients(model)
        model(second)["loss"].backward()
        found = take_gradients(model)
        with torch.no_grad():
            zero = model.bilm.zero_states(3)
            _, states = model.bilm.run_streams(first["words"], first["inputs"], zero)
        hidden, _ = model.bilm.run_streams(second["words"], second["inputs"], states)
        losses = model.softmax(hidden.flatten(0, 2), second["targets"].flatten())
        (losses.sum() / 6).backward()
        expected = take_gradients(model)
        assert expected["softmax.weight"].any()
        torch.testing.assert_close(found, expected)

    def test_another_number_of_streams_starts_from_the_zero_state(
        self, vocabulary: Vocabulary
    ) -> None:
        model = make_model(vocabulary)
        model(make_window(vocabulary, 0, 4, rows=3))
        text = make_window(vocabulary, 0, 4, rows=2)
        assert model(text)["loss"].item() == make_model(vocabulary)(text)["loss"].item()

    def test_directions_share_token_layer_and_softmax(self, vocabulary: Vocabulary) -> None:
        shared, own = [], []
        for direction in range(2):
            model = make_model(vocabulary)
            text = make_window(vocabulary, 0, 4)
            text["targets"][1 - direction] = -1
            model(text)["loss"].backward()
            gradients = take_gradients(model)
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
        model = make_model(vocabulary)
        output = model(make_window(vocabulary, 0, 4))
        assert set(output) == {"loss"}
        names = {"forward_perplexity", "backward_perplexity", "perplexity"}
        assert set(model.get_metrics(reset=True)) == names
        assert model.get_metrics() == {}

    def test_samples_report_a_sampled_loss(self, vocabulary: Vocabulary) -> None:
        model = make_model(vocabulary, num_samples=8)
        text = make_window(vocabulary, 0, 4)
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
        model = make_model(vocabulary, num_samples=8)
        model(make_window(vocabulary, 0, 4))
        model.get_metrics(reset=True)
        model.eval()
        model(make_batch(vocabulary, SENTENCES[:3]))
        expected = make_model(vocabulary).eval()
        expected(make_batch(vocabulary, SENTENCES[:3]))
        assert model.get_metrics() == expected.get_metrics()

    @pytest.mark.parametrize("place", ["output", "inputs"])
    def test_dropout_of_inputs_and_of_the_output(self, place: str, vocabulary: Vocabulary) -> None:
        model = make_model(vocabulary, dropout=0.5)
        other = model.bilm.lstm.dropout if place == "output" else model.language_model.dropout
        other.p = 0.0
        text = make_window(vocabulary, 0, 4)
        losses = set()
        for _ in range(3):
            model._states = []
            losses.add(model(text)["loss"].item())
        assert len(losses) == 3
        model.eval()
        plain = make_model(vocabulary).eval()
        assert model(text)["loss"].item() == plain(text)["loss"].item()
