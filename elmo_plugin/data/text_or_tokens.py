"""The Tokenizer `text_or_tokens`: tokenizes strings; takes lists as tokens."""

from typing import Optional, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data.tokenizers import SpacyTokenizer, Token, Tokenizer


@Tokenizer.register("text_or_tokens")
class TextOrTokensTokenizer(Tokenizer):
    """
    Tokenizes strings and takes lists as tokens, so that a dataset reader or predictor accepts both.

    Registered as a `Tokenizer` with name "text_or_tokens".

    # Parameters

    tokenizer : `Tokenizer`, optional (default = `SpacyTokenizer()`)
        Tokenizer of strings.
    """

    def __init__(self, tokenizer: Optional[Tokenizer] = None) -> None:
        self._tokenizer = tokenizer or SpacyTokenizer()

    def tokenize(self, text: Union[str, list[str]]) -> list[Token]:
        """
        Tokenize a text, or take its tokens as they are.

        # Raises

        `ConfigurationError` : neither a string nor a list of tokens, or no tokens.
        """
        if isinstance(text, str):
            tokens = self._tokenizer.tokenize(text)
        elif isinstance(text, list) and all(isinstance(word, str) and word for word in text):
            tokens = [Token(word) for word in text]
        else:
            raise ConfigurationError(
                f"text: expected a string or a list of tokens, got {text!r:.80}"
            )
        if not tokens:
            raise ConfigurationError(f"text: expected at least one token, got {text!r:.80}")
        return tokens
