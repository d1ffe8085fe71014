"""The AllenNLP field of one sentence for language modeling."""

from typing import Any, Optional

import torch
from allennlp.data import Vocabulary
from allennlp.data.fields import Field

from elmo_plugin.data.language_modeling.lm_batches import (
    LmBatchBuilder,
    backward_sequence,
    forward_sequence,
)
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE


class SentenceField(Field[Any]):
    """
    One sentence, read in both directions. A batch of fields becomes the input of `BilmModel`.

    # Parameters

    sentence : `List[str]`
        Words, without BOS and EOS.
    max_characters : `int`, optional (default = `50`)
        Character ids per word.
    """

    __slots__ = ["max_characters", "sentence", "word_ids"]

    def __init__(self, sentence: list[str], max_characters: int = 50) -> None:
        self.sentence = sentence
        self.max_characters = max_characters
        self.word_ids: Optional[dict[str, int]] = None

    def __len__(self) -> int:
        return len(self.sentence)

    def count_vocab_items(self, counter: dict[str, dict[str, int]]) -> None:
        for word in self.sentence:
            counter[NAMESPACE][word] += 1

    def index(self, vocab: Vocabulary) -> None:
        self.word_ids = vocab.get_token_to_index_vocabulary(NAMESPACE)

    def get_padding_lengths(self) -> dict[str, int]:
        return {"words": len(self.sentence)}

    def as_tensor(self, padding_lengths: dict[str, int]) -> "SentenceField":
        return self

    def empty_field(self) -> "SentenceField":
        return SentenceField([], self.max_characters)

    def batch_tensors(self, tensor_list: list["SentenceField"]) -> dict[str, torch.Tensor]:
        first = tensor_list[0]
        assert first.word_ids is not None, "the field has not been indexed"
        sentences = [field.sentence for field in tensor_list]
        return LmBatchBuilder(first.word_ids, first.max_characters).build(
            [forward_sequence(s) for s in sentences], [backward_sequence(s) for s in sentences]
        )

    def human_readable_repr(self) -> list[str]:
        return self.sentence
