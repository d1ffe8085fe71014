"""The vocabulary of a training run that is resumed."""

import os
import shutil
from pathlib import Path
from typing import Any

from elmo_plugin.compat.patching import wrap
from elmo_plugin.compat.recovery.directory import has_checkpoint


@wrap("allennlp.commands.train", "TrainModel.from_partial_objects")
def resume_with_saved_vocabulary(
    original: Any, cls: Any, serialization_dir: Any, **kwargs: Any
) -> Any:
    """AllenNLP builds the vocabulary again: if the data has changed, rows of the embeddings and of
    the output then stand for other words."""
    from allennlp.common import Lazy

    if has_checkpoint(Path(serialization_dir)):
        kwargs["vocabulary"] = Lazy(lambda **_: _saved_vocabulary(serialization_dir))
    return original(cls, serialization_dir, **kwargs)


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


@wrap("allennlp.training.util", "create_serialization_dir")
def rebuild_partial_vocabulary(
    original: Any, params: Any, serialization_dir: Any, recover: bool, force: bool
) -> None:
    """The workers of a distributed training read the vocabulary from the directory, even if the
    training was killed while it wrote it."""
    from allennlp.training.util import make_vocab_from_params

    original(params, serialization_dir, recover, force)
    directory = Path(serialization_dir)
    if recover and "distributed" in params and not has_checkpoint(directory):
        shutil.rmtree(directory / "vocabulary", ignore_errors=True)
        make_vocab_from_params(params.duplicate(), directory)
