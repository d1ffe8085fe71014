"""SQuAD v1.1: its reader, and prediction from text or tokens."""

import json
from itertools import accumulate
from typing import Any, Optional, Union

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.data import DatasetReader, Instance
from allennlp.data.tokenizers import Token, Tokenizer
from allennlp.predictors import Predictor
from allennlp_models.rc.dataset_readers import SquadReader
from allennlp_models.rc.predictors.bidaf import ReadingComprehensionPredictor

from elmo_plugin.data.text_or_tokens import TextOrTokensTokenizer
from elmo_plugin.tasks.printed_output import PrintedOutput

Text = Union[str, list[str]]


@DatasetReader.register("squad_text_or_tokens")
class TextOrTokensSquadReader(SquadReader):
    """
    AllenNLP's reader "squad" of SQuAD v1.1, which names what is wrong with a file, and accepts
    the question and the passage as text or as a list of tokens. With the predictor
    "elmo_reading_comprehension": `{"question": ["Who", "?"], "passage": "Some text."}`.

    Registered as a `DatasetReader` with name "squad_text_or_tokens".

    # Parameters

    **kwargs :
        The parameters of "squad".
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._tokenizer: Tokenizer = TextOrTokensTokenizer(self._tokenizer)

    def _read(self, file_path: str) -> Any:
        check_squad(file_path)
        yield from super()._read(file_path)

    def text_to_instance(
        self,
        question_text: Text,
        passage_text: Text,
        *args: Any,
        passage_tokens: Optional[list[Token]] = None,
        **kwargs: Any,
    ) -> Optional[Instance]:
        """
        Return the instance of a question and a passage, each of them text or tokens.

        # Raises

        `ConfigurationError` : no token in the question or the passage.
        """
        for name, text in (("question", question_text), ("passage", passage_text)):
            if not text or (isinstance(text, str) and not text.strip()):
                raise ConfigurationError(f"{name}: expected at least one token, got {text!r}")
        if isinstance(passage_text, list):
            passage_tokens = self._tokenizer.tokenize(passage_text)  # type: ignore[arg-type]
            ends = accumulate(len(word) + 1 for word in passage_text)
            for token, start in zip(passage_tokens, [0, *ends]):
                token.idx = start
            passage_text = " ".join(passage_text)
        return super().text_to_instance(
            question_text, passage_text, *args, passage_tokens=passage_tokens, **kwargs
        )


def check_squad(file_path: str) -> None:
    """
    Check a file before it is read.

    # Raises

    `ConfigurationError` : not the JSON of SQuAD v1.1, an empty question or passage, a question
    without answers, or an answer that is not at its offset in the passage or has white space around
    it; names the file and the key.
    """
    try:
        with open(cached_path(file_path), encoding="utf-8") as file:
            content = json.load(file)
    except ValueError as error:
        raise ConfigurationError(f"{file_path}: expected SQuAD's JSON, found {error}") from error
    try:
        for i, article in _items(content, "data", ""):
            for j, paragraph in _items(article, "paragraphs", i):
                passage = _text(paragraph, "context", j)
                for k, example in _items(paragraph, "qas", j):
                    _text(example, "question", k)
                    answers = _items(example, "answers", k)
                    if not answers:
                        raise ConfigurationError(
                            f"{k}.answers: expected an answer, as in SQuAD v1.1, found none"
                        )
                    for path, answer in answers:
                        _check_answer(passage, answer, path)
    except ConfigurationError as error:
        raise ConfigurationError(f"{file_path}: {error.message}") from error


def _items(parent: Any, key: str, path: str) -> list[tuple[str, Any]]:
    """Return the entries of a list in `parent`, each with its path in the file."""
    entries = parent.get(key) if isinstance(parent, dict) else None
    where = f"{path}.{key}".lstrip(".")
    if not isinstance(entries, list):
        raise ConfigurationError(f"{where}: expected a list, as in SQuAD v1.1, found {entries!r}")
    return [(f"{where}[{i}]", entry) for i, entry in enumerate(entries)]


def _text(parent: Any, key: str, path: str) -> str:
    text = parent.get(key) if isinstance(parent, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise ConfigurationError(f"{path}.{key}: expected at least one token, found {text!r}")
    return text


def _check_answer(passage: str, answer: Any, path: str) -> None:
    text = _text(answer, "text", path)
    if text != text.strip():
        raise ConfigurationError(
            f"{path}.text: expected no white space around the answer, found {text!r}"
        )
    start = answer.get("answer_start")
    # Not a bool; a negative one would count from the end.
    found = passage[start : start + len(text)] if type(start) is int and start >= 0 else None
    if found != text:
        raise ConfigurationError(
            f"{path}: expected {text!r} at answer_start {start!r} of the passage, found {found!r}"
        )


@Predictor.register("elmo_reading_comprehension")
class ElmoReadingPredictor(PrintedOutput, ReadingComprehensionPredictor):
    """
    Predicts from `{"passage": "Some text.", "question": "A question?"}`.

    Registered as a `Predictor` with name "elmo_reading_comprehension", the default of
    `bidaf_self_attention`.
    """

    printed = ("best_span_str", "best_span")
