"""The words that a biLM predicts."""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Optional, Union, cast

from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm
from allennlp.data import Vocabulary

from elmo_plugin.configuration_errors import configuration_errors
from elmo_plugin.data.text import read_sentences, text_files
from elmo_plugin.data.windows import UNKNOWN
from elmo_plugin.layers.characters import END_OF_SENTENCE, START_OF_SENTENCE
from elmo_plugin.pretrained import locate
from elmo_plugin.weights.language_model_files import VOCABULARY, read_vocabulary

NAMESPACE = "bilm"

MARKS = (START_OF_SENTENCE, END_OF_SENTENCE, UNKNOWN)
"""First in every vocabulary, in this order."""


@Vocabulary.register("bilm_pretrained", constructor="from_pretrained")
@Vocabulary.register("bilm_text", constructor="from_text")
class BilmVocabulary(Vocabulary):
    """
    A vocabulary with one namespace, "bilm": `<S>`, `</S>` and `<UNK>`, then words from frequent to
    rare, as bilm-tf orders them and as the log-uniform sampler expects them.

    Registered as a `Vocabulary` with names "bilm_text" (the words of a text) and
    "bilm_pretrained" (those of a trained biLM).
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

        # Raises

        `ConfigurationError` : no such text, or a limit below 1.
        """
        for name, limit in {"max_size": max_size, "min_count": min_count}.items():
            if limit is not None and limit < 1:
                raise ConfigurationError(f"vocabulary.{name}: expected at least 1, got {limit}")
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
    def from_pretrained(cls, path: str) -> "BilmVocabulary":
        """
        # Parameters

        path : `str`
            A folder that `elmo export` wrote, with vocabulary.txt; or a biLM's model.tar.gz, or the
            folder that it was trained in; or "built-in".
        """
        path = locate(path)
        file = Path(path, VOCABULARY)
        if not file.is_file():
            trained = Path(path, "vocabulary")
            return cast("BilmVocabulary", cls.from_files(trained if trained.is_dir() else path))
        with configuration_errors():
            words = read_vocabulary(file)
        if tuple(words[: len(MARKS)]) != MARKS:
            raise ConfigurationError(
                f"{file}: expected {', '.join(MARKS)} in the first lines, "
                f"found {', '.join(words[: len(MARKS)])}"
            )
        return cls._of(words[len(MARKS) :])

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


def words_in_order(vocab: Vocabulary) -> list[str]:
    """The words that a biLM predicts, the marks first."""
    words = vocab.get_index_to_token_vocabulary(NAMESPACE)
    return [words[i] for i in range(len(words))]
