"""The equations of the paper, with torch and the standard library alone."""

from elmo_plugin.layers.bilm import Bilm
from elmo_plugin.layers.bilm_output import BilmOutput
from elmo_plugin.layers.char_ids import batch_to_ids, ids_to_word, word_to_ids
from elmo_plugin.layers.config import BilmConfig
from elmo_plugin.layers.elmo import Elmo
from elmo_plugin.layers.scalar_mix import ScalarMix

__all__ = [
    "Bilm",
    "BilmConfig",
    "BilmOutput",
    "Elmo",
    "ScalarMix",
    "batch_to_ids",
    "ids_to_word",
    "word_to_ids",
]
