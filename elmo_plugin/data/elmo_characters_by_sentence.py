"""The TokenIndexer `elmo_characters_by_sentence`: character ids with sentence numbers."""

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import pad_sequence_to_length
from allennlp.data.token_indexers import TokenIndexer
from allennlp.data.token_indexers.token_indexer import IndexedTokenList
from allennlp.data.tokenizers import Token
from allennlp.data.vocabulary import Vocabulary

from elmo_plugin.data.elmo_characters import ElmoCharactersIndexer


@TokenIndexer.register("elmo_characters_by_sentence")
class ElmoCharactersBySentenceIndexer(ElmoCharactersIndexer):
    """
    Indexes each token as character ids and the number of its sentence, for the embedder
    "elmo_by_sentence". Reads the sentence's index from the token's `type_id`, which the reader
    "coref_sentences" sets.

    Registered as a `TokenIndexer` with name "elmo_characters_by_sentence".
    """

    def get_empty_token_list(self) -> IndexedTokenList:
        return {"elmo_tokens": [], "sentences": []}

    def tokens_to_indices(self, tokens: list[Token], vocabulary: Vocabulary) -> IndexedTokenList:
        """
        Return the character ids and the number of the sentence of each token.

        # Raises

        `ConfigurationError` : a token has no `type_id`.
        """
        sentences = [_sentence_number(token) for token in tokens]
        return {**super().tokens_to_indices(tokens, vocabulary), "sentences": sentences}

    def as_padded_tensor_dict(
        self, tokens: IndexedTokenList, padding_lengths: dict[str, int]
    ) -> dict[str, torch.Tensor]:
        sentences = pad_sequence_to_length(tokens["sentences"], padding_lengths["sentences"])
        padded = super().as_padded_tensor_dict(tokens, padding_lengths)
        return {**padded, "sentences": torch.tensor(sentences)}


def _sentence_number(token: Token) -> int:
    if token.type_id is None:
        raise ConfigurationError(
            f"elmo_characters_by_sentence: expected the sentence of token {token.text!r} in its "
            "type_id, found none; the reader coref_sentences sets it"
        )
    # 0 is padding.
    return token.type_id + 1
