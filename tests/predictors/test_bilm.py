from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from allennlp.data.batch import Batch
from allennlp.predictors import Predictor

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.predictors.bilm import BilmPredictor

NAMES = ("forward_log_likelihood", "backward_log_likelihood")
LINES = ["a b  c ", "c", "", "한국어\ta"]


@pytest.fixture
def model(tmp_path: Path) -> BilmModel:
    (tmp_path / "text").write_text("a b c\n")
    vocabulary = BilmVocabulary.from_text(str(tmp_path / "text"))
    torch.manual_seed(0)
    sizes = {"filters": [(1, 4)], "projection_dim": 4, "cell_dim": 8}
    return BilmModel(vocabulary, **sizes, dropout=0.5, num_samples=2)


def test_log_likelihoods_equal_the_model(model: BilmModel) -> None:
    reader = BilmTextReader()
    batch = Batch([reader.text_to_instance(line.split()) for line in LINES])
    batch.index_instances(model.vocab)
    expected = model.eval()(**batch.as_tensor_dict())
    # A predictor evaluates, whatever the model did before.
    predictor = Predictor.by_name(model.default_predictor)(model.train(), reader)
    assert isinstance(predictor, BilmPredictor)
    together = predictor.predict_batch_json([{"sentence": line} for line in LINES])
    alone = [predictor.predict_json({"sentence": line}) for line in LINES]
    for i in range(len(LINES)):
        for name in NAMES:
            value = expected[name][i].item()
            assert value < 0
            assert together[i][name] == pytest.approx(value, rel=1e-6)
            assert alone[i][name] == pytest.approx(value, rel=1e-6)


def test_output_is_one_line(model: BilmModel) -> None:
    predictor = BilmPredictor(model, BilmTextReader())
    output = predictor.predict_json({"sentence": "a b"})
    line = predictor.dump_line(output)
    assert line.count("\n") == 1 and json.loads(line) == output
