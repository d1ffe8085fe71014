"""The TokenEmbedder `elmo_by_sentence`: ELMo in a model that reads a document at once."""

import torch
from allennlp.modules.token_embedders.token_embedder import TokenEmbedder

from elmo_plugin.layers.per_sentence import apply_per_sentence


@TokenEmbedder.register("elmo_by_sentence")
class ElmoBySentenceTokenEmbedder(TokenEmbedder):
    """
    ELMo of each sentence of a document by itself, as the biLM was trained, registered as
    "elmo_by_sentence". Its indexer is "elmo_characters_by_sentence".

    # Parameters

    elmo : `TokenEmbedder`
        Of a sentence: one of type "elmo".
    """

    def __init__(self, elmo: TokenEmbedder) -> None:
        super().__init__()
        self._embedder = elmo

    def get_output_dim(self) -> int:
        return self._embedder.get_output_dim()

    def forward(self, elmo_tokens: torch.Tensor, sentences: torch.Tensor) -> torch.Tensor:
        """
        # Parameters

        elmo_tokens : `torch.Tensor`
            Shape (batch, tokens, characters).
        sentences : `torch.Tensor`
            The number of each token's sentence, from 1; 0 for padding. Shape (batch, tokens).

        # Returns

        `torch.Tensor` : Shape (batch, tokens, output_dim).
        """
        return apply_per_sentence(self._embedder, elmo_tokens, sentences)
