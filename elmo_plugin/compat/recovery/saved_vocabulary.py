"""The vocabulary of a training run that is resumed."""

import os
import shutil
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import Any, cast

from elmo_plugin.compat.patching import patch_module
from elmo_plugin.compat.recovery.directory import has_checkpoint


@patch_module("allennlp.commands.train")
def resume_with_saved_vocabulary(module: Any) -> Iterator[None]:
    """AllenNLP builds the vocabulary again: if the data has changed, rows of the embeddings and of
    the output then stand for other words."""
    yield
    original = module.TrainModel.from_partial_objects.__func__

    @wraps(original)
    def from_partial_objects(cls: Any, serialization_dir: Any, **kwargs: Any) -> Any:
        if has_checkpoint(Path(serialization_dir)):
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


@patch_module("allennlp.training.util")
def rebuild_partial_vocabulary(module: Any) -> Iterator[None]:
    """The workers of a distributed training read the vocabulary from the directory, even if the
    training was killed while it wrote it."""
    yield
    original = module.create_serialization_dir

    @wraps(original)
    def create_serialization_dir(
        params: Any, serialization_dir: Any, recover: bool, force: bool
    ) -> None:
        original(params, serialization_dir, recover, force)
        directory = Path(serialization_dir)
        if recover and "distributed" in params and not has_checkpoint(directory):
            shutil.rmtree(directory / "vocabulary", ignore_errors=True)
            module.make_vocab_from_params(params.duplicate(), directory)

    module.create_serialization_dir = create_serialization_dir
