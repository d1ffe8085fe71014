"""Semantic role labeling: prediction without a part-of-speech tagger."""

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.data.tokenizers import Token, Tokenizer
from allennlp.models import Model
from allennlp.predictors import Predictor
from allennlp_models.structured_prediction.models.srl import SemanticRoleLabeler
from allennlp_models.structured_prediction.predictors.srl import SemanticRoleLabelerPredictor

from elmo_plugin.data.text_or_tokens import TextOrTokensTokenizer
from elmo_plugin.tasks.predicates import find_predicates
from elmo_plugin.tasks.printed_output import PrintedOutput


@Model.register("elmo_srl")
class ElmoSrl(SemanticRoleLabeler):
    """
    AllenNLP's `srl` (He et al. 2017), whose default predictor needs no part-of-speech tagger.

    Registered as a `Model` with name "elmo_srl".
    """

    default_predictor = "elmo_srl"


@Predictor.register("elmo_srl")
class ElmoSrlPredictor(PrintedOutput, SemanticRoleLabelerPredictor):
    """
    Predicts from `{"sentence": "Some text."}` or `{"sentence": ["Some", "tokens", "."]}`.
    `"predicates": [1, 4]`, optional, are the tokens to label the roles of, counted from 0. By
    default, they are the verbs that the spaCy model `language` finds in a text; for tokens, or if
    that model is not installed, those of `find_predicates`.

    Registered as a `Predictor` with name "elmo_srl", the default of the model `elmo_srl`.
    """

    def __init__(
        self,
        model: Model,
        dataset_reader: DatasetReader,
        language: str = "en_core_web_sm",
        all_outputs: bool = False,
    ) -> None:
        super().__init__(model, dataset_reader, language, all_outputs=all_outputs)
        self._tokenizer: Tokenizer = TextOrTokensTokenizer(self._tokenizer)

    def predict_tokenized(self, tokenized_sentence: list[str]) -> JsonDict:
        """Predict from a list of tokens."""
        return self.predict_json({"sentence": tokenized_sentence})

    def _sentence_to_srl_instances(self, json_dict: JsonDict) -> list[Instance]:
        tokens = self._tokenizer.tokenize(json_dict["sentence"])
        predicates = json_dict.get("predicates")
        if predicates is None:
            return self.tokens_to_instances(tokens)
        if not isinstance(predicates, list):
            raise ConfigurationError(f"predicates: expected a list of numbers, got {predicates!r}")
        return [self._instance(tokens, predicate) for predicate in predicates]

    def tokens_to_instances(self, tokens: list[Token]) -> list[Instance]:
        if any(token.pos_ for token in tokens):
            return super().tokens_to_instances(tokens)
        predicates = find_predicates([token.ensure_text() for token in tokens])
        return [self._instance(tokens, predicate) for predicate in predicates]

    def _instance(self, tokens: list[Token], predicate: int) -> Instance:
        # isinstance would accept a bool.
        if type(predicate) is not int or not 0 <= predicate < len(tokens):
            raise ConfigurationError(
                f"predicates: expected numbers from 0 to {len(tokens) - 1}, got {predicate!r}"
            )
        indicator = [int(i == predicate) for i in range(len(tokens))]
        return self._dataset_reader.text_to_instance(tokens, indicator)
