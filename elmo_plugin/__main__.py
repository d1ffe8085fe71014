"""The `elmo` command: AllenNLP's own command line with this plugin loaded."""

import io
import json
import os
import sys
import traceback

from elmo_plugin import compat


def main() -> None:
    # For a checkout that is on the path but not installed: there, nothing ran at start-up.
    compat.install()

    from allennlp import (
        __main__,  # noqa: F401  (imported for the logging that it sets up)
        commands,
    )
    from allennlp.common.checks import ConfigurationError
    from allennlp.common.util import SigTermReceived, install_sigterm_handler

    from elmo_plugin.commands.checked_parser import CheckedParser

    install_sigterm_handler()
    commands.ArgumentParserWithDefaults = CheckedParser  # type: ignore[misc]
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names of files need not be UTF-8.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        commands.main(prog="elmo")
        sys.stdout.flush()
    except (ConfigurationError, OSError, json.JSONDecodeError, UnicodeDecodeError) as error:
        if isinstance(error, BrokenPipeError) and _nobody_reads_on():
            sys.exit(1)
        # What the user can mend needs no stack of calls.
        sys.exit(f"elmo: error: {_in_one_line(error)}")
    except (AssertionError, RuntimeError, ValueError) as error:
        # What a command says itself is about its arguments; all else is a mistake of the code.
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        if not frame.f_globals["__name__"].startswith("allennlp.commands."):
            raise
        sys.exit(f"elmo: error: {_in_one_line(error)}")
    except (KeyboardInterrupt, SigTermReceived):
        sys.exit("elmo: interrupted")


def _in_one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, json.JSONDecodeError):
        return f"expected JSON, found {error.doc!r:.80} ({error})"
    if isinstance(error, UnicodeDecodeError):
        return f"expected UTF-8 text, found {error.object[error.start :][:40]!r}"
    return " ".join(line.strip() for line in str(error).splitlines())


def _nobody_reads_on() -> bool:
    """If standard output is a pipe whose reader has gone, as in `elmo ... | head`."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Or it would be flushed, and fail, once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


if __name__ == "__main__":
    main()
