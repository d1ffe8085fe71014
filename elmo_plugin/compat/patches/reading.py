"""So that text is read and predicted without a download, and a bad file named."""

import logging
import os
import textwrap
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from elmo_plugin.compat.patching import patch_module

logger = logging.getLogger(__name__)

# What readers raise at text of another format: they look into it before they check it.
_READING_ERRORS = (
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
_ERROR_WIDTH = 600


@patch_module("allennlp.common.util")
def tokenize_without_a_spacy_model(module: Any) -> Iterator[None]:
    """AllenNLP downloads a missing spaCy model; no package index carries them.

    The language's rules split words just as the model would. Tags need the model itself.
    """
    yield
    original = module.get_spacy_model

    @wraps(original)
    def get_spacy_model(
        spacy_model_name: str, pos_tags: bool = True, parse: bool = False, ner: bool = False
    ) -> Any:
        options = (spacy_model_name, pos_tags, parse, ner)
        if options not in module.LOADED_SPACY_MODELS and _is_missing(spacy_model_name):
            module.LOADED_SPACY_MODELS[options] = _blank_spacy_model(spacy_model_name, parse)
        return original(*options)

    module.get_spacy_model = get_spacy_model


def _is_missing(spacy_model_name: str) -> bool:
    import spacy

    named_like_a_model = spacy_model_name.count("_") == 3
    exists = spacy.util.is_package(spacy_model_name) or Path(spacy_model_name).exists()
    return named_like_a_model and not exists


def _blank_spacy_model(spacy_model_name: str, sentences: bool) -> Any:
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


@patch_module("allennlp_models.structured_prediction.predictors.srl")
def look_for_verbs_by_tags(module: Any) -> Iterator[None]:
    """Without tags, this predictor would find no verb in any sentence and say nothing of it."""
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


@patch_module("allennlp.common.params")
def show_what_is_wrong_in_a_configuration(module: Any) -> Iterator[None]:
    """Jsonnet says in which file, in which line and what, and a stack of calls stands before it. At
    a directory in a file's place it ends the process."""
    yield
    from elmo_plugin.compat.jsonnet_imports import read_import

    def evaluated(original: Callable[..., str], kind: str) -> Callable[..., str]:
        @wraps(original)
        def evaluate(name: str, *args: Any, **kwargs: Any) -> str:
            if os.path.isdir(name):
                raise module.ConfigurationError(
                    f"{kind}: {name}: expected a file, found a directory"
                )
            try:
                return original(name, *args, import_callback=read_import, **kwargs)
            except (RuntimeError, UnicodeEncodeError) as error:
                raise module.ConfigurationError(f"{kind}: {str(error).strip()}") from error

        return evaluate

    module.evaluate_file = evaluated(module.evaluate_file, "configuration")
    module.evaluate_snippet = evaluated(module.evaluate_snippet, "overrides")


@patch_module("allennlp.data.dataset_readers.dataset_reader")
def name_files_that_cannot_be_read(module: Any) -> Iterator[None]:
    """A file in another format ends in an error that names neither the file nor the place in it,
    or in none at all: some readers find nothing in it, and training goes on to fail elsewhere."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.DatasetReader.read

    @wraps(original)
    def read(self: Any, file_path: Any) -> Iterator[Any]:
        number = 0
        try:
            for instance in original(self, file_path):
                number += 1
                yield instance
        except (ConfigurationError, *_READING_ERRORS) as error:
            message = str(error)
            if not isinstance(error, ConfigurationError) or str(file_path) not in message:
                message = (
                    f"{file_path}: {type(self).__name__} read {number} instances and then failed, "
                    f"is this its format? {type(error).__name__}: {message}"
                )
            raise ConfigurationError(textwrap.shorten(message, _ERROR_WIDTH)) from error
        # A worker may have no part of a small file.
        if number == 0 and self.get_worker_info() is None and self.get_distributed_info() is None:
            raise ConfigurationError(
                f"{file_path}: {type(self).__name__} found no instance in it, is this its format?"
            )

    module.DatasetReader.read = read


@patch_module("allennlp_models.structured_prediction.models.srl")
def predict_roles_without_a_tagger(module: Any) -> Iterator[None]:
    """`allennlp predict` asks the model which predictor to use, and the one above needs a tagger.

    That one is still there for `--predictor semantic_role_labeling`.
    """
    yield
    module.SemanticRoleLabeler.default_predictor = "elmo_plugin.tasks.srl.ElmoSrlPredictor"


@patch_module("allennlp_models.tagging.models.crf_tagger")
def predict_tags_of_tokens_too(module: Any) -> Iterator[None]:
    """Text that is split already would have to be joined, and be split again otherwise."""
    yield
    module.CrfTagger.default_predictor = "elmo_plugin.tasks.ner.ElmoTaggerPredictor"
