"""The words that a biLM predicts."""

import os
from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Optional, Union, cast

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.common.tqdm import Tqdm
from allennlp.data import Vocabulary
from allennlp.models import archival

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.weights.language_model_files import read_words
from elmo_plugin.weights.resolve import LanguageModelFiles, resolve
from elmo_plugin.weights.vocabulary_file import SPECIAL_TOKENS, UNKNOWN, read_vocabulary

NAMESPACE = "bilm"


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
        with configuration_errors():
            for sentence in Tqdm.tqdm(iter_sentences(path), "counting words", unit=" sentences"):
                counts.update(sentence)
        for mark in SPECIAL_TOKENS:
            counts.pop(mark, None)
        # Ties in alphabetical order, so that the same text gives the same vocabulary.
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:max_size]
        kept = (word for word, count in ranked if count >= min_count)
        return cls.from_words((*SPECIAL_TOKENS, *kept))

    @classmethod
    def from_pretrained(cls, path: str) -> "BilmVocabulary":
        """
        # Parameters

        path : `str`
            Whatever the model's `pretrained_file` may be, with a vocabulary: a folder that
            `elmo export` wrote; a weight file with its vocabulary beside it, as `elmo export` or
            the published models name it; a biLM's model.tar.gz, or the folder that it was trained
            in; or "built-in".

        # Raises

        `ConfigurationError` : there is no vocabulary of a biLM, or it cannot be read.
        """
        source = resolve(path)
        if isinstance(source, LanguageModelFiles):
            with configuration_errors():
                return cls.from_words(read_words(source))
        is_folder = Path(path).is_dir()
        # Not for from_files to extract, which would leave a copy beside the archive for good.
        opened = nullcontext(path) if is_folder else archival.extracted_archive(cached_path(path))
        with opened as directory:
            vocabulary = Path(directory, "vocabulary")
            if not vocabulary.is_dir():
                raise ConfigurationError(f"{path}: expected a vocabulary in it, found none")
            return cast("BilmVocabulary", cls.from_files(vocabulary))

    @classmethod
    def from_files(
        cls,
        directory: Union[str, os.PathLike],
        padding_token: Optional[str] = None,
        oov_token: Optional[str] = None,
    ) -> "Vocabulary":
        """As AllenNLP's, with `<UNK>` for unknown words."""
        return super().from_files(directory, padding_token, oov_token or UNKNOWN)

    def set_from_file(
        self,
        filename: str,
        is_padded: bool = True,
        oov_token: str = UNKNOWN,
        namespace: str = "tokens",
    ) -> None:
        """Read a file, keeping the word `@@NEWLINE@@`, which AllenNLP turns into a line break."""
        if namespace != NAMESPACE:
            super().set_from_file(filename, is_padded, oov_token, namespace)
            return
        with configuration_errors():
            words = read_vocabulary(filename)
        self._token_to_index[namespace] = {word: index for index, word in enumerate(words)}
        self._index_to_token[namespace] = dict(enumerate(words))

    @classmethod
    def from_words(cls, words: Iterable[str]) -> "BilmVocabulary":
        """The words in their order, special tokens first."""
        vocabulary = cls(non_padded_namespaces=[NAMESPACE], oov_token=UNKNOWN)
        for word in words:
            vocabulary.add_token_to_namespace(word, NAMESPACE)
        return vocabulary


def check_special_tokens(vocab: Vocabulary) -> None:
    """Raises a `ConfigurationError` unless the vocabulary begins with the special tokens."""
    words = vocab.get_index_to_token_vocabulary(NAMESPACE)
    first = [words.get(i) for i in range(len(SPECIAL_TOKENS))]
    if first != list(SPECIAL_TOKENS):
        raise ConfigurationError(
            "vocabulary: expected one of type bilm_text, which begins with "
            f"{', '.join(SPECIAL_TOKENS)}, got one that begins with {first}"
        )


def words_in_order(vocab: Vocabulary) -> list[str]:
    """The words that a biLM predicts, special tokens first."""
    words = vocab.get_index_to_token_vocabulary(NAMESPACE)
    return [words[i] for i in range(len(words))]
