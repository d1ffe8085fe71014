"""Files of word vectors, the `pretrained_file` of an embedding."""

import lzma
import zlib
from collections.abc import Callable
from typing import Any

from elmo_plugin.common.vector_lines import parse_vector
from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.configuration_error import configuration_error

_EMBEDDING = "allennlp.modules.token_embedders.embedding"
_LARGEST = (2 - 2**-23) * 2.0**127
"""The largest number of float32."""

_checks: list[Callable[[str, str], None]] = []
"""Called with each line and its location while vectors of a vocabulary are read."""
_UNREADABLE = (EOFError, OSError, UnicodeDecodeError, lzma.LZMAError, zlib.error)


@wrap_in_commands(_EMBEDDING, "EmbeddingsTextFile.__init__")
def name_unreadable_vectors(
    original: Any, self: Any, file_uri: str, *args: Any, **kwargs: Any
) -> None:
    """Errors for empty files, other encodings and broken compression do not name the file."""
    try:
        original(self, file_uri, *args, **kwargs)
    except StopIteration as error:
        raise configuration_error(
            f"{file_uri}: expected a word and its vector per line, found none"
        ) from error
    except _UNREADABLE as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        if isinstance(error, FileNotFoundError):
            raise configuration_error(
                f"{file_uri}: expected a file of word vectors, found none"
            ) from error
        raise _unreadable(file_uri, 1, error) from error
    self.lines_read = 1 if self.num_tokens else 0  # in the header


@wrap_in_commands(_EMBEDDING, "EmbeddingsTextFile.__next__")
def name_unreadable_lines(original: Any, self: Any) -> Any:
    """Errors in a line do not name file and line either."""
    try:
        line = original(self)
    except _UNREADABLE as error:
        raise _unreadable(self.uri, self.lines_read + 1, error) from error
    self.lines_read += 1
    for check in _checks:
        check(line, f"{self.uri}, line {self.lines_read}")
    return line


def _unreadable(file_uri: str, line: int, error: Exception) -> Exception:
    return configuration_error(
        f"{file_uri}, near line {line}: expected UTF-8 text, plain or compressed as its name "
        f"says, found: {error}"
    )


@wrap_in_commands(_EMBEDDING, "_read_embeddings_from_text_file")
def name_invalid_vectors(
    original: Any, file_uri: str, embedding_dim: int, vocab: Any, namespace: str = "tokens"
) -> Any:
    """AllenNLP leaves out vectors of another size with a warning, and does not say in which line a
    number is missing."""
    from allennlp.common.checks import ConfigurationError

    words = set(vocab.get_index_to_token_vocabulary(namespace).values())

    def check(line: str, location: str) -> None:
        if line.split(" ", 1)[0] in words:
            _check_vector(line, embedding_dim, location)

    _checks.append(check)
    try:
        return original(file_uri, embedding_dim, vocab, namespace)
    except ConfigurationError as error:
        if not str(error).startswith("No embeddings"):
            raise
        raise ConfigurationError(
            f"{file_uri}: expected vectors of words of the vocabulary, found none"
        ) from error
    finally:
        _checks.remove(check)


def _check_vector(line: str, dim: int, location: str) -> None:
    try:
        _, values = parse_vector(line, dim, location)
    except ValueError as error:
        raise configuration_error(str(error)) from error
    if not all(abs(value) <= _LARGEST for value in values):
        raise configuration_error(f"{location}: expected finite numbers, found NaN or infinity")
