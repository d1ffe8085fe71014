"""TokenEmbedders."""

from elmo_plugin.modules.token_embedders.cove import CoveTokenEmbedder
from elmo_plugin.modules.token_embedders.elmo import ElmoTokenEmbedder
from elmo_plugin.modules.token_embedders.elmo_by_sentence import ElmoBySentenceTokenEmbedder
from elmo_plugin.modules.token_embedders.elmo_precomputed import PrecomputedElmoTokenEmbedder

__all__ = [
    "CoveTokenEmbedder",
    "ElmoBySentenceTokenEmbedder",
    "ElmoTokenEmbedder",
    "PrecomputedElmoTokenEmbedder",
]
