"""Reading and writing trained weights; no AllenNLP."""

from elmo_plugin.weights.bilm_file import load_bilm, save_bilm

__all__ = ["load_bilm", "save_bilm"]
