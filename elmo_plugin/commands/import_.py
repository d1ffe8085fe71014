"""`elmo import`: a biLM's files as an archive of AllenNLP's, the inverse of `elmo export`."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from allennlp.common import Params
from allennlp.common.meta import Meta
from allennlp.models.archival import CONFIG_NAME, archive_model

from elmo_plugin.commands import arguments
from elmo_plugin.common.atomic_write import atomic_write, check_not_read
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.models.loading import load_language_model
from elmo_plugin.weights.language_model_files import NAMES

DESCRIPTION = """Make an archive, for `allennlp evaluate` and `predict`, of the options,
    weights, softmax and vocabulary that `elmo export` writes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory", type=arguments.path, help="with options.json, weights.hdf5 and the others"
    )
    parser.add_argument("archive", type=arguments.archive_file, help="the model.tar.gz to write")


def run(args: argparse.Namespace) -> None:
    with configuration_errors():
        read = [args.directory, *(Path(args.directory, name) for name in NAMES)]
        check_not_read(args.archive, read)
    model = load_language_model(args.directory)
    with TemporaryDirectory() as directory, atomic_write(args.archive) as archive:
        _write_serialization_dir(model, Path(directory))
        archive_model(directory, archive_path=archive)
    print(args.archive)


def _write_serialization_dir(model: BilmModel, directory: Path) -> None:
    """As `allennlp train` leaves one."""
    config = {
        "dataset_reader": {"type": "bilm_text", "max_characters": model.bilm.config.max_characters},
        "vocabulary": {"type": "bilm_text"},
        "model": {"type": "bilm", "num_samples": None, **asdict(model.bilm.config)},
        "data_loader": {"batch_size": 64},
    }
    Params(json.loads(json.dumps(config))).to_file(str(directory / CONFIG_NAME))
    Meta.new().to_file(directory / "meta.json")
    model.vocab.save_to_files(str(directory / "vocabulary"))
    torch.save(model.state_dict(), directory / "best.th")
