"""The Predictor `bilm`: the log-likelihood of a sentence under a biLM."""

from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import Instance
from allennlp.predictors import Predictor


@Predictor.register("bilm")
class BilmPredictor(Predictor):
    """
    Reads `{"sentence": "words separated by spaces"}` or `{"sentence": ["some", "words"]}`; returns
    forward_log_likelihood and backward_log_likelihood in nats, sentence ends included.

    Registered as a `Predictor` with name "bilm".
    """

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._dataset_reader.text_to_instance(_words(json_dict["sentence"]))


def _words(sentence: Any) -> list[str]:
    """Split a string at white space; take a list as tokens."""
    if isinstance(sentence, str):
        return sentence.split()
    if not isinstance(sentence, list) or not all(isinstance(w, str) and w for w in sentence):
        raise ConfigurationError(
            f"sentence: expected text or a list of words, got {sentence!r:.80}"
        )
    return sentence
