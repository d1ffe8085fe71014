"""How likely a biLM finds a sentence."""

from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import Instance
from allennlp.predictors import Predictor


@Predictor.register("bilm")
class BilmPredictor(Predictor):
    """
    Takes `{"sentence": "words apart by spaces"}` or `{"sentence": ["some", "words"]}`; gives
    forward_log_likelihood and backward_log_likelihood in nats, sentence ends included.

    Registered as a `Predictor` with name "bilm".
    """

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._dataset_reader.text_to_instance(_words(json_dict["sentence"]))


def _words(sentence: Any) -> list[str]:
    """Splits text at white space, and takes a list as it is."""
    if isinstance(sentence, str):
        return sentence.split()
    if not isinstance(sentence, list) or not all(isinstance(w, str) and w for w in sentence):
        raise ConfigurationError(
            f"sentence: expected text or a list of words, got {sentence!r:.80}"
        )
    return sentence
