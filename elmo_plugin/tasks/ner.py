"""Prediction of tags for text or tokens."""

from allennlp.data import DatasetReader
from allennlp.models import Model
from allennlp.predictors import Predictor, SentenceTaggerPredictor

from elmo_plugin.data.text_or_tokens import TextOrTokensTokenizer


@Predictor.register("elmo_sentence_tagger")
class ElmoTaggerPredictor(SentenceTaggerPredictor):
    """
    Takes `{"sentence": "Some text."}` or `{"sentence": ["Some", "tokens", "."]}`.

    Registered as a `Predictor` with name "elmo_sentence_tagger", the default of `crf_tagger`.
    """

    def __init__(
        self, model: Model, dataset_reader: DatasetReader, language: str = "en_core_web_sm"
    ) -> None:
        super().__init__(model, dataset_reader, language)
        self._tokenizer = TextOrTokensTokenizer(self._tokenizer)  # type: ignore[assignment]
