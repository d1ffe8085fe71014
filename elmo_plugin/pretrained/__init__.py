"""The biLM that comes with the package: see README.md beside this file."""

from elmo_plugin.layers import Bilm
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.resolve import BUILT_IN_FOLDER, OPTIONS, WEIGHTS


def load_pretrained_bilm(initial_state: InitialState = "zero") -> Bilm:
    """
    Load the built-in biLM.

    # Parameters

    initial_state : `str`, optional (default = `"zero"`)
        What each sentence starts from: "zero", "warm" or "carried"; see `Bilm`.
    """
    return load_bilm(BUILT_IN_FOLDER / OPTIONS, BUILT_IN_FOLDER / WEIGHTS, initial_state)
