"""Checks `--out` before long work."""

import argparse


def check_out(args: argparse.Namespace) -> None:
    """
    Make the directory of `--out`, and check that no file that another argument names is replaced.

    # Raises

    `ValueError` : a file is both read and written; without `--draft`, code with changes that are
    not committed.
    `ModuleNotFoundError` : Matplotlib is missing.
    """
    from elmo_plugin.reporting.outputs import check_outputs

    inputs: list[str] = []
    for value in vars(args).values():
        values = value if isinstance(value, (list, tuple)) else [value]
        inputs += [v for v in values if isinstance(v, str)]
    check_outputs(args.out, inputs, args.draft)
