"""The TokenIndexer `elmo_characters`, also for words of more than 50 characters."""

from typing import Optional

import torch
from allennlp.common.util import pad_sequence_to_length
from allennlp.data.token_indexers import ELMoTokenCharactersIndexer, TokenIndexer
from allennlp.data.token_indexers.token_indexer import IndexedTokenList
from allennlp.data.tokenizers import Token
from allennlp.data.vocabulary import Vocabulary

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.layers.char_ids import PADDING_ID, check_max_characters, word_to_ids

# Not `exist_ok=True`, which logs that it replaces AllenNLP's class.
TokenIndexer._registry[TokenIndexer].pop("elmo_characters")


@TokenIndexer.register("elmo_characters")
class ElmoCharactersIndexer(ELMoTokenCharactersIndexer):
    """
    Indexes each token as the character ids of its word. With the default `max_characters`, the ids
    are those of AllenNLP's indexer of this name, which it replaces.

    Registered as a `TokenIndexer` with name "elmo_characters".

    # Parameters

    namespace : `str`, optional (default = `"elmo_characters"`)
    tokens_to_add : `Dict[str, int]`, optional (default = `None`)
        Ids of special tokens, in place of their characters.
    token_min_padding_length : `int`, optional (default = `0`)
    max_characters : `int`, optional (default = `50`)
        That of the biLM: UTF-8 bytes of a word and its two boundaries.
    """

    def __init__(
        self,
        namespace: str = "elmo_characters",
        tokens_to_add: Optional[dict[str, int]] = None,
        token_min_padding_length: int = 0,
        max_characters: int = 50,
    ) -> None:
        super().__init__(
            namespace,
            tokens_to_add,  # type: ignore[arg-type]
            token_min_padding_length,
        )
        with configuration_errors():
            check_max_characters(max_characters)
        self._max_characters = max_characters
        self._added = tokens_to_add or {}

    def tokens_to_indices(self, tokens: list[Token], vocabulary: Vocabulary) -> IndexedTokenList:
        return {"elmo_tokens": [self._to_ids(token.ensure_text()) for token in tokens]}

    def as_padded_tensor_dict(
        self, tokens: IndexedTokenList, padding_lengths: dict[str, int]
    ) -> dict[str, torch.Tensor]:
        length = padding_lengths["elmo_tokens"]
        rows = pad_sequence_to_length(
            tokens["elmo_tokens"], length, default_value=lambda: [0] * self._max_characters
        )
        return {"elmo_tokens": torch.LongTensor(rows)}

    def _to_ids(self, word: str) -> list[int]:
        if word not in self._added:
            return word_to_ids(word, self._max_characters)
        ids = self._mapper.convert_word_to_char_ids(word)[: self._max_characters]
        return ids + [PADDING_ID] * (self._max_characters - len(ids))
