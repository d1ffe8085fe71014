"""Text is split, tokens are left as they are, and anything else is said to be wrong."""

from typing import Any

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data.tokenizers import SpacyTokenizer, Tokenizer

import elmo_plugin.data.text_or_tokens  # noqa: F401  (registered)


def tokenize(text: Any, **arguments: Any) -> list[Any]:
    config = {"type": "text_or_tokens", **arguments}
    return [token.text for token in Tokenizer.from_params(Params(config)).tokenize(text)]


def test_text_is_split_as_by_the_tokenizer_inside() -> None:
    text = "Ruth didn't sail (to Porto)."
    assert tokenize(text) == [token.text for token in SpacyTokenizer().tokenize(text)]
    assert tokenize(text, tokenizer={"type": "just_spaces"}) == text.split(" ")


def test_tokens_are_left_as_they_are() -> None:
    tokens = ["Ruth", "didn't", "New York", "漢字", "."]
    assert tokenize(tokens) == tokens


@pytest.mark.parametrize("nothing", ["", "   ", []])
def test_empty_input_raises(nothing: Any) -> None:
    with pytest.raises(ConfigurationError, match="at least one token"):
        tokenize(nothing)


@pytest.mark.parametrize("other", [None, 5, {"text": "a"}, ["a", 5], ["a", ""]])
def test_neither_text_nor_tokens(other: Any) -> None:
    with pytest.raises(ConfigurationError, match="a string or a list of tokens"):
        tokenize(other)
