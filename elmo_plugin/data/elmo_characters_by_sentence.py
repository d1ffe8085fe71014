"""The TokenIndexer `elmo_characters_by_sentence`: which sentence of a text each token is in."""

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import pad_sequence_to_length
from allennlp.data.token_indexers import ELMoTokenCharactersIndexer, TokenIndexer
from allennlp.data.token_indexers.token_indexer import IndexedTokenList
from allennlp.data.tokenizers import Token
from allennlp.data.vocabulary import Vocabulary


@TokenIndexer.register("elmo_characters_by_sentence")
class ElmoCharactersBySentenceIndexer(ELMoTokenCharactersIndexer):
    """
    Character ids, and the number of each token's sentence, for the embedder "elmo_by_sentence".
    A token's `type_id` says which sentence it is in, from 0: the reader "coref_sentences" sets it.
    """

    def get_empty_token_list(self) -> IndexedTokenList:
        return {"elmo_tokens": [], "sentences": []}

    def tokens_to_indices(self, tokens: list[Token], vocabulary: Vocabulary) -> IndexedTokenList:
        """
        # Raises

        `ConfigurationError` : a token that is in no sentence.
        """
        sentences = [_sentence(token) for token in tokens]
        return {**super().tokens_to_indices(tokens, vocabulary), "sentences": sentences}

    def as_padded_tensor_dict(
        self, tokens: IndexedTokenList, padding_lengths: dict[str, int]
    ) -> dict[str, torch.Tensor]:
        sentences = pad_sequence_to_length(tokens["sentences"], padding_lengths["sentences"])
        padded = super().as_padded_tensor_dict(tokens, padding_lengths)
        return {**padded, "sentences": torch.tensor(sentences)}


def _sentence(token: Token) -> int:
    if token.type_id is None:
        raise ConfigurationError(
            f"elmo_characters_by_sentence: token {token.text!r} has no type_id to say which "
            "sentence it is in; the reader coref_sentences gives it one"
        )
    # From 1, so that 0 is left for padding.
    return token.type_id + 1
