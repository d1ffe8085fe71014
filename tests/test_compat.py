"""Patches of elmo_plugin.compat, on what they fix."""

import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import DEFAULT_PLUGINS, import_plugins
from allennlp.common.util import get_spacy_model
from allennlp.data import Token
from allennlp.data.image_loader import TorchImageLoader
from allennlp.models import Model

from elmo_plugin.compat.command import running_command
from elmo_plugin.compat.safety.archive_names import names_of_archive
from tests.helpers.interrupted_trainings import InterruptSecondEpoch

FIXTURES = Path(__file__).parent.parent / "fixtures" / "compat"


def test_plugin_is_found_without_a_flag() -> None:
    assert "elmo_plugin" in DEFAULT_PLUGINS


@pytest.mark.skipif(
    importlib.util.find_spec("torchvision") is not None, reason="torchvision is installed"
)
def test_torchvision_is_required_only_when_used() -> None:
    import transformers

    assert "torchvision" not in sys.modules
    assert not transformers.utils.is_torchvision_available()
    with pytest.raises(AttributeError, match="please install torchvision"):
        TorchImageLoader().load("picture.png")


def test_narrativeqa_imports_without_setuptools() -> None:
    before = sys.modules.get("pkg_resources")
    from allennlp_models.rc.tools import narrativeqa

    assert sys.modules.get("pkg_resources") is before
    # Read from the files that py-rouge finds by pkg_resources.
    assert narrativeqa.rouge.Rouge.WORDNET_KEY_VALUE


class TestSpacyModels:
    """With model names of a language whose models are not installed."""

    text = "Maras Boote, in Oslo: usw. Sie fuhr z.B. nach Porto."

    def test_rules_split_words_without_a_model(self) -> None:
        words = [token.text for token in get_spacy_model("de_missing_web_sm")(self.text)]
        assert words == [token.text for token in spacy.blank("de")(self.text)]

    def test_rules_split_sentences_without_a_parser(self) -> None:
        assert len(list(get_spacy_model("de_missing_web_sm", parse=True)("Eins. Zwei.").sents)) == 2

    def test_installed_models_are_used(self, tmp_path: Path) -> None:
        model = spacy.blank("de")
        model.add_pipe("sentencizer", name="mark")
        model.to_disk(tmp_path / "a_b_c_d")
        assert get_spacy_model(str(tmp_path / "a_b_c_d")).pipe_names == ["mark"]

    def test_entities_need_a_model(self) -> None:
        with pytest.raises(ConfigurationError, match="expected the spaCy model de_missing_web_sm"):
            get_spacy_model("de_missing_web_sm", ner=True)

    @pytest.mark.parametrize("name", ["joblib", "nowhere", "a/b", "../x_y_z", ""])
    def test_archives_name_models_only(self, name: str) -> None:
        """AllenNLP calls `load` of any package that is named, and downloads missing ones."""
        with names_of_archive("model.tar.gz"):
            assert get_spacy_model("de_missing_web_sm").lang == "de"
            with pytest.raises(ConfigurationError, match=r"tar.gz: expected .* a spaCy model"):
                get_spacy_model(name)

    @pytest.mark.parametrize(
        "name",
        ["OpenIePredictor", "ConstituencyParserPredictor", "BiaffineDependencyParserPredictor"],
    )
    def test_predictors_that_need_tags(self, name: str) -> None:
        from allennlp_models import structured_prediction

        predictor, model = getattr(structured_prediction, name), torch.nn.Linear(1, 1)
        with pytest.raises(ConfigurationError, match="expected the spaCy model de_missing_web_sm"):
            predictor(model, None, language="de_missing_web_sm")

    def test_untagged_words_are_refused(self) -> None:
        from allennlp_models.structured_prediction import SemanticRoleLabelerPredictor as Predictor

        with pytest.raises(ConfigurationError, match="untagged"):
            Predictor.tokens_to_instances(None, [Token("Oslo"), Token("sleeps")])


def test_errors_in_configurations_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "config.jsonnet"
    path.write_text("{\n  model: { type: 'bilm' }\n  trainer: {},\n}\n")
    with running_command():
        with pytest.raises(ConfigurationError, match=f"{re.escape(str(path))}:3:"):
            Params.from_file(path)
        path.write_text("local x = { rate: error 'none' };\n{ trainer: x.rate }\n")
        place = re.escape(f"({path}:1:19-31)")
        with pytest.raises(ConfigurationError, match=f"RUNTIME ERROR: none {place}$"):
            Params.from_file(path)
        path.write_text("{}")
        with pytest.raises(ConfigurationError, match="overrides: STATIC ERROR"):
            Params.from_file(path, "{model")


class TestSparseGradients:
    """Index 1 occurs twice: the gradient of its row is a sum of two stored values."""

    def gradients(self, clip: str, limit: float) -> list[torch.Tensor]:
        weights = torch.arange(12.0).view(4, 3)
        dense, sparse = (
            torch.nn.Embedding.from_pretrained(weights, freeze=False, sparse=sparse)
            for sparse in (False, True)
        )
        for embedding in (dense, sparse):
            embedding(torch.tensor([1, 3, 1])).pow(2).sum().backward()
            getattr(torch.nn.utils, clip)([embedding.weight], limit)
        return [dense.weight.grad, sparse.weight.grad.to_dense()]

    @pytest.mark.parametrize("clip", ["clip_grad_norm_", "clip_grad_value_"])
    @pytest.mark.parametrize("limit", [0.5, 1e6])
    def test_clipping_equals_that_of_dense_gradients(self, clip: str, limit: float) -> None:
        dense, sparse = self.gradients(clip, limit)
        torch.testing.assert_close(sparse, dense)

    def test_single_tensor(self) -> None:
        weight = torch.nn.Parameter(torch.ones(2, 2))
        weight.grad = torch.ones(2, 2)
        assert torch.nn.utils.clip_grad_norm_(weight, 1.0).item() == pytest.approx(2)


def test_torch_loads_as_before_for_other_packages() -> None:
    assert torch.load.__globals__["__name__"] == "torch.serialization"
    assert not hasattr(torch.load, "__wrapped__")


class TestResuming:
    """With a sparse embedding, clipped gradients, schedulers that torch has changed, and a moving
    average of the weights."""

    def train(self, directory: Path, changes: dict[str, Any], recover: bool = False) -> Model:
        overrides = {
            **changes,
            "trainer.callbacks": ["interrupt_second_epoch"],
            "trainer.validation_metric": "-loss",
            "data_loader.shuffle": False,
        }
        config = FIXTURES / "tagger.jsonnet"
        params = Params.from_file(config, json.dumps(overrides), {"FIXTURES": str(FIXTURES)})
        return train_model(params, str(directory), recover)

    @pytest.mark.parametrize(
        "changes",
        [
            {
                "trainer.learning_rate_scheduler": {
                    "type": "reduce_on_plateau",
                    "factor": 0.5,
                    "patience": 0,
                }
            },
            # Keeps its learning rates as NumPy's numbers.
            {"trainer.learning_rate_scheduler": {"type": "cosine", "t_initial": 4}},
            {"trainer.moving_average": {"type": "exponential", "decay": 0.9}},
        ],
        ids=["reduce_on_plateau", "cosine", "moving_average"],
    )
    def test_weights_equal_those_of_an_uninterrupted_training(
        self, changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import_plugins()
        whole = self.train(tmp_path / "whole", changes)
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(InterruptSecondEpoch, "active", True)
            self.train(tmp_path / "cut", changes)
        assert (tmp_path / "cut" / "training_state_e1_b0.th").exists()
        assert not (tmp_path / "cut" / "training_state_e2_b0.th").exists()
        resumed = self.train(tmp_path / "cut", changes, recover=True)
        torch.testing.assert_close(resumed.state_dict(), whole.state_dict())
