"""The biLM that comes with the package: see README.md beside this file."""

from __future__ import annotations

from elmo_plugin.common.downloads import local_path
from elmo_plugin.layers import Bilm
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.bilm_file import Precision
from elmo_plugin.weights.hdf5 import PathLike
from elmo_plugin.weights.resolve import BUILT_IN_FOLDER, OPTIONS, WEIGHTS


def load_pretrained_bilm(
    initial_state: InitialState = "zero", precision: Precision = "float32"
) -> Bilm:
    """
    Load the built-in biLM.

    # Parameters

    initial_state : `str`, optional (default = `"zero"`)
        What each sentence starts from: "zero", "warm" or "carried"; see `Bilm`.
    precision : `str`, optional (default = `"float32"`)
        "bfloat16" for faster inference where the hardware supports it, see `load_bilm`.

    # Returns

    `Bilm` : in evaluation mode. Its parameters require gradients; to freeze them, call
    `requires_grad_(False)`.
    """
    files = BUILT_IN_FOLDER / OPTIONS, BUILT_IN_FOLDER / WEIGHTS
    return load_bilm(*files, initial_state, precision)


def load_bilm_or_pretrained(
    options_file: PathLike | None,
    weight_file: PathLike | None,
    initial_state: InitialState = "zero",
    precision: Precision = "float32",
) -> Bilm:
    """
    Load a biLM from paths or URLs, see `load_bilm`; without either, the built-in biLM.

    # Raises

    `ValueError` : one file without the other, or files that cannot be read or do not fit each
    other.
    """
    if options_file is None and weight_file is None:
        return load_pretrained_bilm(initial_state, precision)
    if options_file is None or weight_file is None:
        raise ValueError(
            "options_file and weight_file: expected both, or neither for the built-in biLM, "
            f"got {options_file} and {weight_file}"
        )
    files = local_path(str(options_file)), local_path(str(weight_file))
    return load_bilm(*files, initial_state, precision)
