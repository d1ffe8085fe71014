"""The TokenEmbedder `elmo_by_sentence`: ELMo in models that read whole documents."""

import torch
from allennlp.modules.token_embedders.token_embedder import TokenEmbedder

from elmo_plugin.layers.per_sentence import apply_per_sentence


@TokenEmbedder.register("elmo_by_sentence")
class ElmoBySentenceTokenEmbedder(TokenEmbedder):
    """
    Embeds each sentence of a document separately, as the biLM was trained on sentences. The indexer
    is "elmo_characters_by_sentence".

    Registered as a `TokenEmbedder` with name "elmo_by_sentence".

    # Parameters

    elmo : `TokenEmbedder`
        Embedder of a sentence, of type "elmo".
    """

    def __init__(self, elmo: TokenEmbedder) -> None:
        super().__init__()
        self._embedder = elmo

    def get_output_dim(self) -> int:
        return self._embedder.get_output_dim()

    def forward(self, elmo_tokens: torch.Tensor, sentences: torch.Tensor) -> torch.Tensor:
        """
        Embed the tokens of a document, with each of its sentences read alone.

        # Parameters

        elmo_tokens : `torch.Tensor`
            Shape (batch, tokens, characters).
        sentences : `torch.Tensor`
            Number of each token's sentence, from 1; 0 for padding. Shape (batch, tokens).

        # Returns

        `torch.Tensor` : Shape (batch, tokens, output_dim).
        """
        return apply_per_sentence(self._embedder, elmo_tokens, sentences)
