"""How likely a biLM finds a sentence."""

from allennlp.common.util import JsonDict
from allennlp.data import Instance
from allennlp.predictors import Predictor


@Predictor.register("bilm")
class BilmPredictor(Predictor):
    """
    Takes `{"sentence": "words apart by spaces"}`; gives forward_log_likelihood and
    backward_log_likelihood in nats, sentence ends included.

    Registered as a `Predictor` with name "bilm".
    """

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._dataset_reader.text_to_instance(json_dict["sentence"].split())
