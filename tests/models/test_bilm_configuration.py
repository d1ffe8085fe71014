"""Parameters of the model `bilm`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.data.batch import Batch
from allennlp.models import Model

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.models.bilm import BilmModel
from tests.helpers.bilm_models import (
    READER,
    SENTENCES,
    make_model,
    make_window,
)
from tests.helpers.random_bilm import SMALL


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
            make_model(vocabulary, **options)

    @pytest.mark.parametrize("num_samples", [32, 33, 8192])
    def test_full_softmax_unless_samples_are_fewer_than_words(
        self, num_samples: int, vocabulary: Vocabulary
    ) -> None:
        model = make_model(vocabulary, num_samples=num_samples)
        assert (model.language_model.sampler is None) == (num_samples >= 33)
        model(make_window(vocabulary, 0, 4))
        assert ("perplexity" in model.get_metrics()) == (num_samples >= 33)

    def test_other_vocabularies_raise(self) -> None:
        instances = [READER.text_to_instance(sentence) for sentence in SENTENCES]
        for vocabulary in (Vocabulary.from_instances(instances), Vocabulary()):
            with pytest.raises(ConfigurationError, match=r"vocabulary: expected .* bilm_text"):
                make_model(vocabulary)

    def test_another_max_characters_in_the_reader_raises(self, vocabulary: Vocabulary) -> None:
        batch = Batch([BilmTextReader(max_characters=20).text_to_instance(["word1"])])
        batch.index_instances(vocabulary)
        message = "max_characters: expected the model's 50, got words of 20 characters"
        with pytest.raises(ConfigurationError, match=message):
            make_model(vocabulary)(**batch.as_tensor_dict())
