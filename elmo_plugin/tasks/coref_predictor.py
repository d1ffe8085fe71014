"""Predicts coreference from text or from tokenized sentences."""

from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import Instance
from allennlp.predictors import Predictor
from allennlp_models.coref.predictors.coref import CorefPredictor

from elmo_plugin.tasks.printed_output import PrintedOutput


@Predictor.register("elmo_coref")
class ElmoCorefPredictor(PrintedOutput, CorefPredictor):
    """
    Predicts from `{"document": "Some text. More text."}` or the tokens of each sentence,
    `{"document": [["Some", "tokens", "."], ["More", "tokens", "."]]}`. The spaCy model `language`
    splits text into sentences; if it is not installed, punctuation does.

    Registered as a `Predictor` with name "elmo_coref", the default of `elmo_coref`.
    """

    printed = ("document", "clusters")

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        document = json_dict["document"]
        if isinstance(document, str) and document.strip():
            sentences = self._spacy(document).sents
            words = [[token.text for token in each if not token.is_space] for each in sentences]
            document = [sentence for sentence in words if sentence]
        elif not _are_sentences(document):
            raise ConfigurationError(
                f"document: expected words, or a list of sentences, each a list of tokens, got "
                f"{document!r:.80}"
            )
        return self._dataset_reader.text_to_instance(document)


def _are_sentences(document: Any) -> bool:
    return isinstance(document, list) and all(
        isinstance(sentence, list) and all(isinstance(word, str) and word for word in sentence)
        for sentence in document
    )
