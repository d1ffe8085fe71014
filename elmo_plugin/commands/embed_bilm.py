"""The biLM of `elmo embed`, which a configuration may name."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from elmo_plugin.commands.embed_input import is_configuration, read_configuration
from elmo_plugin.common.configuration_objects import elmo_embedders
from elmo_plugin.weights.resolve import BUILT_IN, LanguageModelFiles


def complete_bilm(args: argparse.Namespace) -> None:
    """
    Set the biLM, its precision and the initial state that the options leave out: those of the
    configuration, or the built-in biLM, "float32" and "zero".

    # Raises

    `ValueError` : the configuration has several; weights whose options are elsewhere; a state that
    depends on the sentences before.
    """
    embedders = []
    if is_configuration(args):
        embedders = elmo_embedders(read_configuration(args).as_dict(quiet=True), "elmo")
    if args.bilm is None:
        weights = (_weights(item, args.input[0]) for item in embedders)
        args.bilm = _only("bilm", weights, BUILT_IN, args.input[0])
    if args.precision is None:
        types = (item.get("precision", "float32") for item in embedders)
        args.precision = _only("precision", types, "float32", args.input[0])
    if args.initial_state is None:
        states = (item.get("initial_state", "zero") for item in embedders)
        args.initial_state = _only("initial-state", states, "zero", args.input[0])
    if args.initial_state == "carried":
        raise ValueError(
            f'{args.input[0]}: initial_state: expected "zero" or "warm", found "carried", with '
            "which vectors depend on earlier sentences; pass --initial-state zero or warm"
        )


def _only(option: str, values: Iterable[str], default: str, source: str) -> str:
    """Return the value that all ELMo embedders of a configuration have."""
    found = sorted(set(values)) or [default]
    if len(found) > 1:
        raise ValueError(
            f"{source}: expected one value, found {', '.join(found)}; choose one with --{option}"
        )
    return found[0]


def _weights(embedder: Mapping[str, Any], source: str) -> str:
    """Return an embedder's biLM. Its options must be those that `resolve` finds."""
    weights = embedder.get("weight_file") or BUILT_IN
    options = embedder.get("options_file")
    if weights != BUILT_IN and options is not None:
        expected = LanguageModelFiles(weights).options
        if Path(options).expanduser().resolve() != Path(expected).expanduser().resolve():
            raise ValueError(
                f"{source}: options_file: expected {expected}, beside the weights, found "
                f"{options}; put both files into one directory and pass it as --bilm"
            )
    return weights
