"""So that weights, archives and training states are loaded without running what is in them."""

import sys
import tarfile
import warnings
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from gzip import BadGzipFile
from typing import Any

import numpy

from elmo_plugin.compat.patching import around


@around("allennlp")
def load_weights_only(module: Any) -> Iterator[None]:
    """AllenNLP leaves it to torch whether a file may run code as it is loaded; until 2.6, it may.

    Its own calls of `torch.load` are made to say no; those of other packages are not touched.
    """
    yield
    import torch

    # Until 2.2, torch warned of its own storages as it loaded weights only.
    warnings.filterwarnings("ignore", "TypedStorage is deprecated", UserWarning)
    original = torch.load

    @wraps(original)
    def load(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.startswith(("allennlp.", "allennlp_models.")):
            kwargs.setdefault("weights_only", True)
        return original(*args, **kwargs)

    torch.load = load


@around("allennlp.models.archival")
def extract_archives_in_their_place(module: Any) -> Iterator[None]:
    """Until Python 3.14, an archive may write files outside the directory it is extracted to."""
    yield
    if hasattr(tarfile, "data_filter"):
        inside = {"extraction_filter": staticmethod(tarfile.data_filter)}
        module.tarfile = type("TarFile", (tarfile.TarFile,), inside)


@around("allennlp.models.archival")
def name_a_broken_archive(module: Any) -> Iterator[None]:
    """Of a file that is no archive, or not a whole one, an error says neither this nor its name."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.extracted_archive

    @contextmanager
    def extracted_archive(resolved_archive_file: str, cleanup: bool = True) -> Iterator[str]:
        with ExitStack() as stack:
            try:
                directory = stack.enter_context(original(resolved_archive_file, cleanup))
            except (tarfile.TarError, BadGzipFile, EOFError, zlib.error) as error:
                raise ConfigurationError(
                    f"{resolved_archive_file}: expected the whole model.tar.gz of a trained model, "
                    f"found: {error}"
                ) from error
            yield directory

    module.extracted_archive = extracted_archive


@around("allennlp.training.gradient_descent_trainer")
def save_plain_training_states(module: Any) -> Iterator[None]:
    """Metrics, and the learning rates of `cosine`, may be NumPy's numbers, which torch will save
    but, loading weights only, not load: then no training could be resumed."""
    yield
    trainer = module.GradientDescentTrainer
    original = trainer.get_checkpoint_state

    @wraps(original)
    def get_checkpoint_state(self: Any) -> Any:
        state = original(self)
        return state and state._replace(trainer_state=_plain(state.trainer_state))

    trainer.get_checkpoint_state = get_checkpoint_state


def _plain(state: Any) -> Any:
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    if isinstance(state, list):
        return [_plain(value) for value in state]
    return state.item() if isinstance(state, numpy.generic) else state
