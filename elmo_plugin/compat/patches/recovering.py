"""So that `--recover` goes on with what was saved, whenever the training before was killed."""

import filecmp
import json
import logging
import os
import shutil
from collections.abc import Iterator
from functools import wraps
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

from elmo_plugin.compat.patching import patch_module

logger = logging.getLogger(__name__)

# What a process that was killed may leave of files that are written under another name first.
_LEFTOVERS = (
    ".model_state_e*.th.*",
    ".training_state_e*.th.*",
    ".best.th.*",
    ".curve.jsonl.*",
    ".config.json.*",
    ".model.tar.gz.*",
)
_LEFTOVER_VOCABULARIES = "vocabulary/.writing-*"


class FinishedTraining(Exception):
    """There is nothing to recover."""


@patch_module("allennlp.training.util")
def see_what_there_is_to_recover(module: Any) -> Iterator[None]:
    """AllenNLP trains what is finished; with several processes, takes a vocabulary for whole that a
    training was killed in writing; and looks for the old value of a setting that is new."""
    yield
    original = module.create_serialization_dir

    @wraps(original)
    def create_serialization_dir(
        params: Any, serialization_dir: Any, recover: bool, force: bool
    ) -> None:
        directory = Path(serialization_dir)
        try:
            original(params, directory, recover and not _has_just_begun(directory), force)
        except module.ConfigurationError as error:
            if not recover or force or str(directory) in str(error):
                raise
            config = directory / "config.json"
            raise module.ConfigurationError(f"{config}: {error}") from error
        except KeyError as error:
            raise module.ConfigurationError(
                f"{error.args[0]}: expected the configuration of the training to recover, which "
                "does not have it"
            ) from error
        if not recover:
            return
        _remove_leftovers(directory)
        if _is_finished(directory):
            raise FinishedTraining
        if "distributed" in params and not _has_checkpoint(directory):
            shutil.rmtree(directory / "vocabulary", ignore_errors=True)
            module.make_vocab_from_params(params.duplicate(), directory)

    module.create_serialization_dir = create_serialization_dir


def _has_just_begun(directory: Path) -> bool:
    """Was killed before it wrote config.json. AllenNLP takes an empty directory for a new one."""
    if not directory.is_dir():
        return False
    unfinished = list(directory.glob(".config.json.*"))
    if len(unfinished) < len(os.listdir(directory)):
        return False
    _remove_leftovers(directory)
    return True


def _remove_leftovers(directory: Path) -> None:
    for pattern in _LEFTOVERS:
        for file in directory.glob(pattern):
            file.unlink()
    for folder in directory.glob(_LEFTOVER_VOCABULARIES):
        shutil.rmtree(folder)


def _has_checkpoint(directory: Path) -> bool:
    return any(directory.glob("training_state_e*.th"))


def _is_finished(directory: Path) -> bool:
    """Metrics are written when the training has ended."""
    try:
        json.loads((directory / "metrics.json").read_bytes())
    except (FileNotFoundError, ValueError):
        return False
    return True


@patch_module("allennlp.commands.train")
def leave_finished_trainings_alone(module: Any) -> Iterator[None]:
    """AllenNLP writes metrics and archive again, and loses metrics of the last epoch by that."""
    yield
    original = module.train_model
    parameters = signature(original)

    @wraps(original)
    def train_model(*args: Any, **kwargs: Any) -> Any:
        given = parameters.bind(*args, **kwargs)
        given.apply_defaults()
        options = given.arguments
        try:
            return original(*args, **kwargs)
        except FinishedTraining:
            params, directory = options["params"], Path(options["serialization_dir"])
            _archive(module, params, directory)
            wanted = options["return_model"]
            if wanted is None:
                wanted = "distributed" not in params
            model = module.Model.load(params.duplicate(), str(directory)) if wanted else None
            logger.info("%s: this training is finished, there is nothing to recover", directory)
            return model

    module.train_model = train_model


def _archive(module: Any, params: Any, directory: Path) -> None:
    """Unless it was: an archive from before the metrics is of a training that was interrupted."""
    metrics, archive = directory / "metrics.json", directory / "model.tar.gz"
    if not archive.exists() or archive.stat().st_mtime_ns < metrics.stat().st_mtime_ns:
        module.archive_model(directory, include_in_archive=params.get("include_in_archive"))


@patch_module("allennlp.commands.train")
def go_on_with_the_saved_vocabulary(module: Any) -> Iterator[None]:
    """AllenNLP builds the vocabulary anew: where the data has changed, rows of the embeddings and
    of the output then stand for other words."""
    yield
    original = module.TrainModel.from_partial_objects.__func__

    @wraps(original)
    def from_partial_objects(cls: Any, serialization_dir: Any, **kwargs: Any) -> Any:
        if _has_checkpoint(Path(serialization_dir)):
            kwargs["vocabulary"] = module.Lazy(lambda **_: _saved_vocabulary(serialization_dir))
        return original(cls, serialization_dir, **kwargs)

    module.TrainModel.from_partial_objects = classmethod(cast(Any, from_partial_objects))


def _saved_vocabulary(directory: Any) -> Any:
    """Read the saved vocabulary, as `Model.load` does."""
    from allennlp.common import Params
    from allennlp.data import Vocabulary

    config = Params.from_file(os.path.join(directory, "config.json"))
    options = config.get("vocabulary", Params({}))
    name = options.pop_choice("type", Vocabulary.list_available(), True)
    vocabulary, _ = Vocabulary.resolve_class_name(name)
    tokens = options.get("padding_token"), options.get("oov_token")
    return vocabulary.from_files(os.path.join(directory, "vocabulary"), *tokens)


@patch_module("allennlp.data.vocabulary")
def write_vocabularies_whole(module: Any) -> Iterator[None]:
    """AllenNLP writes over a vocabulary's files, also with what is in them already: a training that
    is killed then has lost its words."""
    yield
    original = module.Vocabulary.save_to_files

    @wraps(original)
    def save_to_files(self: Any, directory: str) -> None:
        os.makedirs(directory, exist_ok=True)
        with TemporaryDirectory(prefix=".writing-", dir=directory) as temporary:
            original(self, temporary)
            for file in os.listdir(temporary):
                written, kept = os.path.join(temporary, file), os.path.join(directory, file)
                if not os.path.exists(kept) or not filecmp.cmp(written, kept, shallow=False):
                    os.replace(written, kept)

    module.Vocabulary.save_to_files = save_to_files


@patch_module("allennlp.models.archival")
def write_archives_whole(module: Any) -> Iterator[None]:
    """A training that is killed as it writes its archive leaves a part of one under its name."""
    yield
    original = module.archive_model

    @wraps(original)
    def archive_model(
        serialization_dir: Any,
        weights: str = module._DEFAULT_WEIGHTS,
        archive_path: Any = None,
        include_in_archive: Any = None,
    ) -> str:
        from elmo_plugin.common.atomic_write import atomic_write

        path = Path(archive_path or serialization_dir)
        if path.is_dir():
            path /= "model.tar.gz"
        with atomic_write(path) as temporary:
            original(serialization_dir, weights, temporary, include_in_archive)
        return str(path)

    module.archive_model = archive_model


@patch_module("allennlp.common.params")
def write_configurations_whole(module: Any) -> Iterator[None]:
    """AllenNLP writes config.json again at every `--recover`."""
    yield
    original = module.Params.to_file

    @wraps(original)
    def to_file(self: Any, params_file: Any, *args: Any, **kwargs: Any) -> None:
        from elmo_plugin.common.atomic_write import atomic_write

        with atomic_write(params_file) as temporary:
            original(self, temporary, *args, **kwargs)

    module.Params.to_file = to_file


@patch_module("allennlp.training.checkpointer")
def name_damaged_checkpoints(module: Any) -> Iterator[None]:
    """AllenNLP goes on with damaged weights, or says of a damaged checkpoint all but its name."""
    yield
    import torch

    def load(path: str, **options: Any) -> Any:
        from elmo_plugin.compat.integrity import weights_file

        with weights_file(path):
            return torch.load(path, weights_only=True, **options)

    module.torch = SimpleNamespace(load=load, save=torch.save)


@patch_module("allennlp.training.gradient_descent_trainer")
def end_where_the_training_had_ended(module: Any) -> Iterator[None]:
    """After a kill behind the last checkpoint of a training, AllenNLP forgets the metrics of the
    last epoch; and where patience had ended it, trains another."""
    yield
    trainer = module.GradientDescentTrainer
    original = trainer._try_train

    @wraps(original)
    def _try_train(self: Any) -> Any:
        completed = self._start_after_epochs_completed
        if self._metric_tracker.should_stop_early():
            self._num_epochs = completed
        metrics, epoch = original(self)
        if 0 < completed == self._num_epochs:
            file = Path(self._serialization_dir, f"metrics_epoch_{completed - 1}.json")
            metrics = json.loads(file.read_bytes())
        return metrics, epoch

    trainer._try_train = _try_train


@patch_module("allennlp.commands.train")
def keep_a_training_until_another_begins(module: Any) -> Iterator[None]:
    """`--force` removes a training before anything is known of the one that is to replace it: with
    an error in its configuration, both are lost."""
    yield
    train_model, run = module.train_model, module.TrainModel.run
    parameters = signature(train_model)

    @wraps(train_model)
    def replace(*args: Any, **kwargs: Any) -> Any:
        given = parameters.bind(*args, **kwargs)
        given.apply_defaults()
        directory = Path(given.arguments["serialization_dir"])
        if not given.arguments["force"] or not directory.is_dir():
            return train_model(*args, **kwargs)
        kept = _kept(directory)
        if kept.exists() and not _has_checkpoint(directory):
            shutil.rmtree(directory)  # killed before it began, with the one before it still kept
        else:
            shutil.rmtree(kept, ignore_errors=True)
            directory.rename(kept)
        try:
            model = train_model(*args, **kwargs)
            shutil.rmtree(kept, ignore_errors=True)
            return model
        finally:
            if kept.exists():
                shutil.rmtree(directory, ignore_errors=True)
                kept.rename(directory)

    @wraps(run)
    def begin(self: Any) -> Any:
        shutil.rmtree(_kept(Path(self.serialization_dir)), ignore_errors=True)
        return run(self)

    module.train_model, module.TrainModel.run = replace, begin


def _kept(directory: Path) -> Path:
    return directory.with_name(f".{directory.name}.replaced")
