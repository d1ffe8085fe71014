"""The vocabulary of words that a biLM predicts."""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Optional, Union, cast

from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm
from allennlp.data import Vocabulary

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.compat.safety.archive_files import open_archive
from elmo_plugin.weights.language_model_files import read_words
from elmo_plugin.weights.resolve import LanguageModelFiles, resolve
from elmo_plugin.weights.vocabulary_file import SPECIAL_TOKENS, UNKNOWN, read_vocabulary

NAMESPACE = "bilm"


@Vocabulary.register("bilm_pretrained", constructor="from_pretrained")
@Vocabulary.register("bilm_text", constructor="from_text")
class BilmVocabulary(Vocabulary):
    """
    A vocabulary with one namespace, "bilm": `<S>`, `</S>` and `<UNK>`, then words by decreasing
    frequency, as in bilm-tf and as the log-uniform sampler expects.

    Registered as a `Vocabulary` with names "bilm_text" (counted in a text) and "bilm_pretrained"
    (read from a trained biLM).
    """

    @classmethod
    def from_text(
        cls, path: str, max_size: Optional[int] = None, min_count: int = 1
    ) -> "BilmVocabulary":
        """
        Count the words of a text, in one pass; the text need not fit into memory.

        # Parameters

        path : `str`
            A file or a glob, one tokenized sentence per line.
        max_size : `int`, optional (default = `None`)
            Maximum number of words, special tokens not included; no limit, if not given.
        min_count : `int`, optional (default = `1`)
            Minimum number of occurrences of a word.

        # Raises

        `ConfigurationError` : the text does not exist, a limit is below 1, or no word occurs often
        enough.
        """
        for name, limit in {"max_size": max_size, "min_count": min_count}.items():
            if limit is not None and limit < 1:
                raise ConfigurationError(f"vocabulary.{name}: expected at least 1, got {limit}")
        counts: Counter[str] = Counter()
        with configuration_errors():
            for sentence in Tqdm.tqdm(iter_sentences(path), "counting words", unit=" sentences"):
                counts.update(sentence)
        for token in SPECIAL_TOKENS:
            counts.pop(token, None)
        # Ties in alphabetical order, so that the same text gives the same vocabulary.
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:max_size]
        kept = [word for word, count in ranked if count >= min_count]
        if not kept:
            found = f"at most {ranked[0][1]}" if ranked else "no words"
            raise ConfigurationError(
                f"vocabulary.min_count: expected a word that occurs at least {min_count} times in "
                f"{path}, found {found}"
            )
        return cls.from_words((*SPECIAL_TOKENS, *kept))

    @classmethod
    def from_pretrained(cls, path: str) -> "BilmVocabulary":
        """
        Read the vocabulary of a trained biLM.

        # Parameters

        path : `str`
            Anything that the model's `pretrained_file` may be: a directory that `elmo export`
            wrote; a weight file with its vocabulary in the same directory, named as by `elmo
            export` or as published; a model.tar.gz; the serialization directory of a training run;
            or "built-in".

        # Raises

        `ConfigurationError` : there is no vocabulary of a biLM, or it cannot be read.
        """
        source = resolve(path)
        if isinstance(source, LanguageModelFiles):
            with configuration_errors():
                return cls.from_words(read_words(source))
        # from_files would extract the archive too, and leave the copy behind.
        with open_archive(source.path) as directory:
            vocabulary = Path(directory, "vocabulary")
            if not vocabulary.is_dir():
                raise ConfigurationError(
                    f"{source.path}: expected a vocabulary in the directory or archive, found none"
                )
            return cast("BilmVocabulary", cls.from_files(vocabulary))

    @classmethod
    def from_files(
        cls,
        directory: Union[str, "os.PathLike[str]"],
        padding_token: Optional[str] = None,
        oov_token: Optional[str] = None,
    ) -> "Vocabulary":
        """Read a vocabulary as AllenNLP does, with `<UNK>` as the unknown word."""
        return super().from_files(directory, padding_token, oov_token or UNKNOWN)

    def set_from_file(
        self,
        filename: str,
        is_padded: bool = True,
        oov_token: str = UNKNOWN,
        namespace: str = "tokens",
    ) -> None:
        """Read a file; keep the word `@@NEWLINE@@`, which AllenNLP turns into a line break."""
        if namespace != NAMESPACE:
            super().set_from_file(filename, is_padded, oov_token, namespace)
            return
        with configuration_errors():
            words = read_vocabulary(filename)
        self._token_to_index[namespace] = {word: index for index, word in enumerate(words)}
        self._index_to_token[namespace] = dict(enumerate(words))

    @classmethod
    def from_words(cls, words: Iterable[str]) -> "BilmVocabulary":
        """Construct from words in the order of their ids, special tokens first."""
        vocabulary = cls(non_padded_namespaces=[NAMESPACE], oov_token=UNKNOWN)
        for word in words:
            vocabulary.add_token_to_namespace(word, NAMESPACE)
        return vocabulary


def check_special_tokens(vocab: Vocabulary) -> None:
    """Raise a `ConfigurationError` unless the vocabulary starts with the special tokens."""
    words = vocab.get_index_to_token_vocabulary(NAMESPACE)
    first = [words.get(i) for i in range(len(SPECIAL_TOKENS))]
    if first != list(SPECIAL_TOKENS):
        raise ConfigurationError(
            "vocabulary: expected one of type bilm_text, which begins with "
            f"{', '.join(SPECIAL_TOKENS)}, got one that begins with {first}"
        )


def words_in_order(vocab: Vocabulary) -> list[str]:
    """Return the words that a biLM predicts in the order of their ids."""
    words = vocab.get_index_to_token_vocabulary(NAMESPACE)
    return [words[i] for i in range(len(words))]
