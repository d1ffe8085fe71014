"""Reads the input lines and writes the output lines of `predict`."""

import gzip
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any, Optional

from allennlp.commands.predict import _PredictManager
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import open_compressed
from allennlp.predictors import Predictor

from elmo_plugin.common.progress import progress_bar
from elmo_plugin.common.text import BYTE_ORDER_MARK, STANDARD_INPUT


class MissingKey(ConfigurationError, KeyError):
    """Raised for a missing key; also a `KeyError`, which predictors may catch."""


class InputLine(dict[str, Any]):
    """
    A JSON object of the input, whose error for a missing key names the keys that it has.

    # Parameters

    content : `Dict[str, Any]`
    number : `int`
        Line number, from 1.
    """

    def __init__(self, content: dict[str, Any], number: int) -> None:
        super().__init__(content)
        self.number = number

    def __missing__(self, key: str) -> Any:
        raise MissingKey(f"expected the key {key!r}, found {list(self)}")


class PredictManager(_PredictManager):
    """AllenNLP's `_PredictManager`, with errors that name the input line; it opens the output file
    when there is a first line to write."""

    def __init__(
        self,
        predictor: Predictor,
        input_file: str,
        output_file: Optional[str],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(predictor, input_file, None, *args, **kwargs)
        self._output_path = output_file

    def run(self) -> None:
        # Predictions on the console show how far it is.
        bar = progress_bar(None, "predicting", "lines")
        with nullcontext() if self._print_to_console else bar as self._count:
            try:
                super().run()
            finally:
                if self._output_file is not None:
                    self._output_file.close()

    def _maybe_print_to_console_and_file(self, *args: Any, **kwargs: Any) -> None:
        if self._output_file is None and self._output_path is not None:
            self._output_file = open(self._output_path, "w", encoding="utf-8")  # noqa: SIM115
        super()._maybe_print_to_console_and_file(*args, **kwargs)
        if self._count is not None:
            self._count(1)

    def _get_json_data(self) -> Iterator[Any]:
        empty = True
        for number, line in self._numbered_lines():
            if not line.isspace():
                empty = False
                yield self._load_line(line, number)
        if empty:
            raise ConfigurationError(f"{self._input_name()}: expected lines of JSON, found none")

    def _input_name(self) -> str:
        return "standard input" if self._input_file == STANDARD_INPUT else self._input_file

    def _numbered_lines(self) -> Iterator[tuple[int, str]]:
        number = 0
        try:
            with (
                nullcontext(sys.stdin)
                if self._input_file == STANDARD_INPUT
                else open_compressed(self._input_file)
            ) as lines:
                for line in lines:
                    number += 1
                    # Standard input may have one, too.
                    yield number, line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ConfigurationError(
                f"{self._input_name()}, near line {number + 1}: expected text, found: {error}"
            ) from error

    def _load_line(self, line: str, number: int) -> Any:
        line_name = f"{self._input_name()}, line {number}"
        try:
            content = self._predictor.load_line(line)
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(f"{line_name}: expected JSON, found: {error}") from error
        if isinstance(content, dict):
            return InputLine(content, number)
        # A predictor may have another format for its lines.
        if type(self._predictor).load_line is Predictor.load_line:
            raise ConfigurationError(f"{line_name}: expected a JSON object, found {content!r:.80}")
        return content

    def _predict_json(self, batch_data: list[Any]) -> Iterator[str]:
        return self._predict(super()._predict_json, batch_data)

    def _predict_instances(self, batch_data: list[Any]) -> Iterator[str]:
        return self._predict(super()._predict_instances, batch_data)

    def _predict(self, predict: Callable[[Any], Iterable[str]], batch: list[Any]) -> Iterator[str]:
        try:
            results = list(predict(batch))
        except (ConfigurationError, UnicodeEncodeError) as error:
            if len(batch) > 1:  # only one of them may be at fault
                for item in batch:
                    yield from self._predict(predict, [item])
                return
            if not isinstance(batch[0], InputLine):
                raise
            line = f"{self._input_name()}, line {batch[0].number}"
            raise ConfigurationError(f"{line}: {error}") from error
        yield from results
