"""`elmo import`: makes an AllenNLP archive of a biLM's files, the inverse of `elmo export`."""

from __future__ import annotations

import argparse

from elmo_plugin.commands import arguments
from elmo_plugin.weights.input_files import check_not_read

DESCRIPTION = """Make an archive, for `elmo evaluate` and `elmo predict`, of a biLM with its softmax
    and vocabulary, such as the files that `elmo export` writes."""
EXAMPLE = "elmo import my-bilm my-bilm.tar.gz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bilm", type=arguments.path, metavar="BILM", help=arguments.BILM_HELP)
    parser.add_argument("archive", type=arguments.archive_file, help="model.tar.gz to write")


def run(args: argparse.Namespace) -> None:
    from elmo_plugin.models.loading import load_language_model
    from elmo_plugin.models.saving import save_archive

    check_not_read(args.archive, [args.bilm])
    save_archive(*load_language_model(args.bilm), args.archive)
    print(args.archive)
