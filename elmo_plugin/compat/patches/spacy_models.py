"""spaCy models that are not installed."""

import logging
import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from elmo_plugin.compat.configuration_error import configuration_error
from elmo_plugin.compat.patching import wrap
from elmo_plugin.compat.safety.archive_names import current_archive

logger = logging.getLogger(__name__)
# As in en_core_web_sm: language, kind, text, size.
_MODEL_NAME = re.compile(r"[a-z]{2,3}(_[a-z]+){3}")


@wrap("allennlp.common.util", "get_spacy_model")
def tokenize_without_model(
    original: Any,
    spacy_model_name: str,
    pos_tags: bool = True,
    parse: bool = False,
    ner: bool = False,
) -> Any:
    """AllenNLP downloads a missing spaCy model, which no package index has.

    The rules of the language split words as the model would. Tags need the model itself.
    """
    from allennlp.common.util import LOADED_SPACY_MODELS

    options = (spacy_model_name, pos_tags, parse, ner)
    if current_archive() is not None:
        _check_model_of_archive(spacy_model_name)
    if options not in LOADED_SPACY_MODELS and _is_missing(spacy_model_name):
        if ner:
            raise configuration_error(_expected_model(spacy_model_name))
        LOADED_SPACY_MODELS[options] = _blank_model(spacy_model_name, parse)
    return original(*options)


def _check_model_of_archive(name: str) -> None:
    """spaCy imports any package that is named, and AllenNLP downloads it first."""
    installed = {point.name for point in entry_points(group="spacy_models")}
    if name not in installed and not (_MODEL_NAME.fullmatch(name) and _is_missing(name)):
        raise configuration_error(
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


@wrap(
    "allennlp_models.structured_prediction.predictors.openie",
    "allennlp_models.structured_prediction.predictors.constituency_parser",
    "allennlp_models.structured_prediction.predictors.biaffine_dependency_parser",
    "SpacyTokenizer",
)
def require_model_for_tags(original: Any, language: str, **options: Any) -> Any:
    """Without tags, these predictors find no verbs, or parse untagged words."""
    if _is_missing(language):
        raise configuration_error(_expected_model(language))
    return original(language=language, **options)


@wrap(
    "allennlp_models.structured_prediction.predictors.srl",
    "SemanticRoleLabelerPredictor.tokens_to_instances",
)
def require_tags_for_verbs(original: Any, self: Any, tokens: list[Any]) -> Any:
    """The patch above leaves words untagged; this predictor would then silently find no verb."""
    if tokens and not any(token.pos_ for token in tokens):
        raise configuration_error(
            "the tokens are untagged, and verbs are found by their tags: install the spaCy "
            "model that the predictor's 'language' names, by default en_core_web_sm"
        )
    return original(self, tokens)
