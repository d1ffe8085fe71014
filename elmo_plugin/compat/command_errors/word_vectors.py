"""Files of word vectors, the `pretrained_file` of an embedding."""

import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from elmo_plugin.common.vector_lines import parse_vector
from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

_checks: list[Callable[[str, str], None]] = []
"""Called with each line and its location while vectors of a vocabulary are read."""
_UNREADABLE = (EOFError, OSError, UnicodeDecodeError, lzma.LZMAError, zlib.error)


@patch_module("allennlp.modules.token_embedders.embedding")
def name_unreadable_vectors(module: Any) -> Iterator[None]:
    """Errors for empty files, other encodings and broken compression do not name the file."""
    yield
    text = module.EmbeddingsTextFile
    opened, advance = text.__init__, text.__next__

    def open_checked(self: Any, file_uri: str, *args: Any, **kwargs: Any) -> None:
        try:
            opened(self, file_uri, *args, **kwargs)
        except StopIteration as error:
            raise module.ConfigurationError(
                f"{file_uri}: expected a word and its vector per line, found none"
            ) from error
        except _UNREADABLE as error:
            if isinstance(error, OSError) and error.filename is not None:
                raise
            if isinstance(error, FileNotFoundError):
                raise module.ConfigurationError(
                    f"{file_uri}: expected a file of word vectors, found none"
                ) from error
            raise described(file_uri, 1, error) from error
        self.lines_read = 1 if self.num_tokens else 0  # in the header

    def advance_checked(self: Any) -> Any:
        try:
            line = advance(self)
        except _UNREADABLE as error:
            raise described(self.uri, self.lines_read + 1, error) from error
        self.lines_read += 1
        for check in _checks:
            check(line, f"{self.uri}, line {self.lines_read}")
        return line

    def described(file_uri: str, line: int, error: Exception) -> Exception:
        return module.ConfigurationError(
            f"{file_uri}, near line {line}: expected UTF-8 text, plain or compressed as its name "
            f"says, found: {error}"
        )

    text.__init__ = in_commands(open_checked, otherwise=opened)
    text.__next__ = in_commands(advance_checked, otherwise=advance)


@patch_module("allennlp.modules.token_embedders.embedding")
def name_invalid_vectors(module: Any) -> Iterator[None]:
    """AllenNLP leaves out vectors of another size with a warning, and does not say in which line a
    number is missing."""
    yield
    original = module._read_embeddings_from_text_file
    largest = float(module.numpy.finfo("float32").max)

    def checked(file_uri: str, embedding_dim: int, vocab: Any, namespace: str = "tokens") -> Any:
        words = set(vocab.get_index_to_token_vocabulary(namespace).values())

        def check(line: str, location: str) -> None:
            if line.split(" ", 1)[0] in words:
                check_vector(line, embedding_dim, location)

        _checks.append(check)
        try:
            return original(file_uri, embedding_dim, vocab, namespace)
        except module.ConfigurationError as error:
            if not str(error).startswith("No embeddings"):
                raise
            raise module.ConfigurationError(
                f"{file_uri}: expected vectors of words of the vocabulary, found none"
            ) from error
        finally:
            _checks.remove(check)

    def check_vector(line: str, dim: int, location: str) -> None:
        try:
            _, values = parse_vector(line, dim, location)
        except ValueError as error:
            raise module.ConfigurationError(str(error)) from error
        if not all(abs(value) <= largest for value in values):
            raise module.ConfigurationError(
                f"{location}: expected finite numbers, found NaN or infinity"
            )

    module._read_embeddings_from_text_file = in_commands(checked, otherwise=original)
