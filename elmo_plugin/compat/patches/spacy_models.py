"""spaCy models that are not installed."""

import logging
import re
from collections.abc import Iterator
from functools import wraps
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from elmo_plugin.compat.patching import patch_module
from elmo_plugin.compat.safety.archive_names import current_archive

logger = logging.getLogger(__name__)
# As in en_core_web_sm: language, kind, text, size.
_MODEL_NAME = re.compile(r"[a-z]{2,3}(_[a-z]+){3}")


@patch_module("allennlp.common.util")
def tokenize_without_model(module: Any) -> Iterator[None]:
    """AllenNLP downloads a missing spaCy model, which no package index has.

    The rules of the language split words as the model would. Tags need the model itself.
    """
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.get_spacy_model

    @wraps(original)
    def get_spacy_model(
        spacy_model_name: str, pos_tags: bool = True, parse: bool = False, ner: bool = False
    ) -> Any:
        options = (spacy_model_name, pos_tags, parse, ner)
        if current_archive() is not None:
            _check_model_of_archive(spacy_model_name)
        if options not in module.LOADED_SPACY_MODELS and _is_missing(spacy_model_name):
            if ner:
                raise ConfigurationError(_expected_model(spacy_model_name))
            module.LOADED_SPACY_MODELS[options] = _blank_model(spacy_model_name, parse)
        return original(*options)

    module.get_spacy_model = get_spacy_model


def _check_model_of_archive(name: str) -> None:
    """spaCy imports any package that is named, and AllenNLP downloads it first."""
    from allennlp.common.checks import ConfigurationError

    installed = {point.name for point in entry_points(group="spacy_models")}
    if name not in installed and not (_MODEL_NAME.fullmatch(name) and _is_missing(name)):
        raise ConfigurationError(
            f"{current_archive()}: expected the name of a spaCy model, found {name!r:.80}"
        )


def _is_missing(spacy_model_name: str) -> bool:
    import spacy

    named_like_a_model = spacy_model_name.count("_") == 3
    exists = spacy.util.is_package(spacy_model_name) or Path(spacy_model_name).exists()
    return named_like_a_model and not exists


def _blank_model(spacy_model_name: str, sentences: bool) -> Any:
    import spacy

    language = spacy_model_name.split("_")[0]
    logger.info(
        "The spaCy model %s is not installed: words are split by spaCy's rules for '%s', untagged",
        spacy_model_name,
        language,
    )
    model = spacy.blank(language)
    if sentences:
        model.add_pipe("sentencizer")
    return model


def _expected_model(name: str) -> str:
    return f"expected the spaCy model {name}, which tags words, found none installed"


@patch_module(
    "allennlp_models.structured_prediction.predictors.openie",
    "allennlp_models.structured_prediction.predictors.constituency_parser",
    "allennlp_models.structured_prediction.predictors.biaffine_dependency_parser",
)
def require_model_for_tags(module: Any) -> Iterator[None]:
    """Without tags, these predictors find no verbs, or parse untagged words."""
    yield
    from allennlp.common.checks import ConfigurationError

    tokenizer = module.SpacyTokenizer

    def require_model(language: str, **options: Any) -> Any:
        if _is_missing(language):
            raise ConfigurationError(_expected_model(language))
        return tokenizer(language=language, **options)

    module.SpacyTokenizer = require_model


@patch_module("allennlp_models.structured_prediction.predictors.srl")
def require_tags_for_verbs(module: Any) -> Iterator[None]:
    """The patch above leaves words untagged; this predictor would then silently find no verb."""
    yield
    from allennlp.common.checks import ConfigurationError

    predictor = module.SemanticRoleLabelerPredictor
    original = predictor.tokens_to_instances

    @wraps(original)
    def tokens_to_instances(self: Any, tokens: list[Any]) -> Any:
        if tokens and not any(token.pos_ for token in tokens):
            raise ConfigurationError(
                "the tokens are untagged, and verbs are found by their tags: install the spaCy "
                "model that the predictor's 'language' names, by default en_core_web_sm"
            )
        return original(self, tokens)

    predictor.tokens_to_instances = tokens_to_instances
