"""Which errors are about what the user gave, and what is said of them."""

import json
import os
import select
import sys
import traceback

from allennlp.common.checks import ConfigurationError

POSSIBLE_USER_ERRORS = (
    ConfigurationError,
    OSError,
    AssertionError,
    RuntimeError,
    TypeError,
    ValueError,
)
_ALWAYS = (ConfigurationError, OSError, json.JSONDecodeError, UnicodeDecodeError)
_OF_ARGUMENTS = ("allennlp.commands.", "allennlp.common.from_params")


def is_user_error(error: Exception) -> bool:
    """All else is a mistake in the code, but for what a command of AllenNLP raises itself, or what
    builds objects from a configuration: that is about arguments."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return isinstance(error, _ALWAYS) or frame.f_globals["__name__"].startswith(_OF_ARGUMENTS)


def in_one_line(error: Exception) -> str:
    """An error's message."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, json.JSONDecodeError):
        return f"expected JSON, found {error.doc!r:.80} ({error})"
    if isinstance(error, UnicodeDecodeError):
        return f"expected UTF-8 text, found {error.object[error.start :][:40]!r}"
    return " ".join(line.strip() for line in str(error).splitlines())


def is_output_closed() -> bool:
    """Return True if nobody reads standard output, as after `elmo ... | head`."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)  # which leaves what is wrong with it
    closed = bool(poll.poll(0))
    if closed:
        # Or it would be flushed, and fail, once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return closed
