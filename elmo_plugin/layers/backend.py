"""
Chooses the implementation that the layers run on, in this one place.

All are from `layers.fast`. `lstm` is defined by the plain loop in layers/lstm.py. The others only
leave out repeated work: each has a plain equivalent that encodes every word, whole, each time.
"""

from elmo_plugin.layers.fast.packing import Packing
from elmo_plugin.layers.fast.recurrence import recurrence as lstm
from elmo_plugin.layers.fast.unique_words import unique_words
from elmo_plugin.layers.fast.word_cache import WordCache
from elmo_plugin.layers.fast.word_lengths import apply_by_length

__all__ = ["Packing", "WordCache", "apply_by_length", "lstm", "unique_words"]
