"""`elmo export`: a trained biLM in the files that ELMo is distributed in."""

import argparse

from allennlp.commands.subcommand import Subcommand

from elmo_plugin.commands.archives import load_bilm_archive
from elmo_plugin.data.vocabulary import words_in_order
from elmo_plugin.weights.language_model_files import save_language_model


@Subcommand.register("export")
class Export(Subcommand):
    """Registered as a `Subcommand` with name "export"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        description = """Write a trained biLM as bilm-tf's HDF5 weights and options.json, which the
            embedder "elmo" and other ELMo programs read, with its softmax and vocabulary."""
        subparser = parser.add_parser(
            self.name, description=description, help="Write a trained biLM as ELMo files."
        )
        subparser.add_argument("archive", help="model.tar.gz, or the directory of the training")
        subparser.add_argument("directory", help="where to write; made if it is not there")
        subparser.set_defaults(func=_export)
        return subparser


def _export(args: argparse.Namespace) -> None:
    model, _ = load_bilm_archive(args.archive)
    words = words_in_order(model.vocab)
    for path in save_language_model(model.bilm, model.softmax, words, args.directory):
        print(path)
