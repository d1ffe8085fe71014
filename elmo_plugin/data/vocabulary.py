"""The words that a biLM predicts."""

import os
from collections import Counter
from collections.abc import Iterable
from typing import Optional, Union

from allennlp.common.tqdm import Tqdm
from allennlp.data import Vocabulary

from elmo_plugin.data.text import read_sentences, text_files
from elmo_plugin.data.windows import UNKNOWN
from elmo_plugin.layers.characters import END_OF_SENTENCE, START_OF_SENTENCE

NAMESPACE = "bilm"

MARKS = (START_OF_SENTENCE, END_OF_SENTENCE, UNKNOWN)
"""First in every vocabulary, in this order."""


@Vocabulary.register("bilm_text", constructor="from_text")
class BilmVocabulary(Vocabulary):
    """
    A vocabulary with one namespace, "bilm": `<S>`, `</S>` and `<UNK>`, then words from frequent to
    rare, as bilm-tf orders them and as the log-uniform sampler expects them.

    Registered as a `Vocabulary` with name "bilm_text".
    """

    @classmethod
    def from_text(
        cls, path: str, max_size: Optional[int] = None, min_count: int = 1
    ) -> "BilmVocabulary":
        """
        One pass over the text, which need not fit into memory.

        # Parameters

        path : `str`
            A file or a glob, one tokenized sentence a line.
        max_size : `int`, optional (default = `None`)
            Words at most, the three marks not counted.
        min_count : `int`, optional (default = `1`)
            Leave out words that occur less often.
        """
        counts: Counter = Counter()
        for file in Tqdm.tqdm(text_files(path), desc="counting words", unit="file"):
            for sentence in read_sentences(file):
                counts.update(sentence)
        for mark in MARKS:
            counts.pop(mark, None)
        # Ties in alphabetical order, so that the same text gives the same vocabulary.
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:max_size]
        return cls._of(word for word, count in ranked if count >= min_count)

    @classmethod
    def from_files(
        cls,
        directory: Union[str, os.PathLike],
        padding_token: Optional[str] = None,
        oov_token: Optional[str] = None,
    ) -> "Vocabulary":
        """As AllenNLP's, with `<UNK>` for unknown words."""
        return super().from_files(directory, padding_token, oov_token or UNKNOWN)

    @classmethod
    def _of(cls, words: Iterable[str]) -> "BilmVocabulary":
        vocabulary = cls(non_padded_namespaces=[NAMESPACE], oov_token=UNKNOWN)
        for word in (*MARKS, *words):
            vocabulary.add_token_to_namespace(word, NAMESPACE)
        return vocabulary
