"""The Tokenizer `text_or_tokens`: splits text, and takes tokens that are given as they are."""

from typing import Optional, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data.tokenizers import SpacyTokenizer, Token, Tokenizer


@Tokenizer.register("text_or_tokens")
class TextOrTokensTokenizer(Tokenizer):
    """
    Lets whatever tokenizes text, a dataset reader or a predictor, be given a list of tokens in
    its place; registered as "text_or_tokens".

    # Parameters

    tokenizer : `Tokenizer`, optional (default = `SpacyTokenizer()`)
        Of text.
    """

    def __init__(self, tokenizer: Optional[Tokenizer] = None) -> None:
        self._tokenizer = tokenizer or SpacyTokenizer()

    def tokenize(self, text: Union[str, list[str]]) -> list[Token]:
        """
        # Raises

        `ConfigurationError` : neither text nor a list of tokens, or no token in it.
        """
        if isinstance(text, str):
            tokens = self._tokenizer.tokenize(text)
        elif isinstance(text, list) and all(isinstance(word, str) and word for word in text):
            tokens = [Token(word) for word in text]
        else:
            raise ConfigurationError(f"expected text or a list of tokens, got {text!r:.80}")
        if not tokens:
            raise ConfigurationError(f"expected at least one token, got {text!r:.80}")
        return tokens
