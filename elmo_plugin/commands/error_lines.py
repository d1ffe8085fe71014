"""The line that a command ends with when it fails for a reason that the user can mend."""

from __future__ import annotations

import json
import os
import re
import select
import sys

from elmo_plugin.common.optional_library import missing_library
from elmo_plugin.common.tracebacks import raised_in

_EXTRAS = {
    **dict.fromkeys(("conllu", "jinja2", "matplotlib", "sklearn"), "analysis"),
    "pyarrow": "parquet",
    "ray": "ray",
}
_ALLENNLP_MODULES = {
    *("allennlp", "allennlp_models", "_jsonnet", "base58", "cached_path", "dill"),
    *("fairscale", "ftfy", "huggingface_hub", "lmdb", "more_itertools", "nltk", "pytest"),
    *("regex", "rouge", "scipy", "spacy", "tensorboardX", "termcolor", "transformers"),
    *("word2number",),
}
_INSTALL_ALLENNLP = "pip install --no-deps allennlp==2.10.1 allennlp-models==2.10.1"
_MAX_LENGTH = 2000
# AllenNLP's modules that check arguments and configurations, by errors of any type.
_CHECKING_MODULES = ("allennlp.commands.", "allennlp.common.from_params")


def error_line(error: Exception) -> str | None:
    """Return the message in one line, or `None` for an error in the code."""
    if isinstance(error, ModuleNotFoundError):
        return _missing_module(error)
    if not _is_user_error(error):
        return None
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, json.JSONDecodeError):
        return f"expected JSON, found {error.doc!r:.80} ({error})"
    if isinstance(error, UnicodeDecodeError):
        return f"expected UTF-8 text, found {error.object[error.start :][:40]!r}"
    if isinstance(error, re.error):
        return f"expected a regular expression, found {error.pattern!r:.80} ({error})"
    line = " ".join(line.strip() for line in str(error).splitlines())
    # A damaged file may name anything.
    return line if len(line) <= _MAX_LENGTH else f"{line[:_MAX_LENGTH]}..."


def discard_closed_output() -> bool:
    """
    Return True if nobody reads standard output, as after `elmo ... | head`, and discard what would
    still be written to it.
    """
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)  # 0: errors only
    closed = bool(poll.poll(0))
    if closed:
        # Otherwise it would be flushed at exit and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return closed


def _missing_module(error: ModuleNotFoundError) -> str | None:
    module = str(error.name).partition(".")[0]
    if module in _EXTRAS:
        return missing_library(module, _EXTRAS[module])
    if module in _ALLENNLP_MODULES:
        return f"{missing_library(module, 'allennlp')} && {_INSTALL_ALLENNLP}"
    return None


def _is_user_error(error: Exception) -> bool:
    if isinstance(error, (OSError, json.JSONDecodeError, UnicodeDecodeError, re.error)):
        return True
    if type(error).__name__ == "ConfigurationError":  # which may not be imported
        return True
    module = raised_in(error)
    if isinstance(error, ValueError) and module.startswith("elmo_plugin."):
        return True
    return module.startswith(_CHECKING_MODULES) and isinstance(
        error, (AssertionError, RuntimeError, TypeError, ValueError)
    )
