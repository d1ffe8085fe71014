"""The biLM that comes with the package: see README.md beside this file."""

from pathlib import Path

from elmo_plugin.layers import Bilm
from elmo_plugin.layers.bilm import InitialState
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.language_model_files import OPTIONS, WEIGHTS

DIRECTORY = Path(__file__).parent
"""options.json, weights.hdf5, softmax.hdf5 and vocabulary.txt, as `elmo export` writes them."""

BUILT_IN = "built-in"
"""Stands for that directory wherever a path to a trained biLM is given."""


def locate(path: str) -> str:
    """`path`, or where the built-in biLM is."""
    return str(DIRECTORY) if path == BUILT_IN else path


def load_pretrained_bilm(initial_state: InitialState = "zero") -> Bilm:
    """The built-in biLM; `initial_state` as in `load_bilm`."""
    return load_bilm(DIRECTORY / OPTIONS, DIRECTORY / WEIGHTS, initial_state)
