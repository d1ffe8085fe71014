"""The `elmo` command: AllenNLP's own command line with this plugin loaded."""

import io
import os
import sys
from pathlib import Path

from elmo_plugin import compat


def main() -> None:
    # For a checkout that is on the path but not installed: there, nothing ran at start-up.
    compat.install()

    import allennlp.__main__  # noqa: F401  (imported for the logging that it sets up)
    from allennlp import commands
    from allennlp.common.util import SigTermReceived, install_sigterm_handler

    from elmo_plugin.commands import error_lines
    from elmo_plugin.commands.checked_parser import CheckedParser

    install_sigterm_handler()
    commands.ArgumentParserWithDefaults = CheckedParser  # type: ignore[misc]
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names of files need not be UTF-8.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        commands.main(prog="elmo")
        sys.stdout.flush()
    except error_lines.POSSIBLE_USER_ERRORS as error:
        if isinstance(error, BrokenPipeError) and error_lines.is_output_closed():
            sys.exit(1)
        if not error_lines.is_user_error(error):
            raise
        # What the user can mend needs no stack of calls.
        sys.exit(f"elmo: error: {error_lines.in_one_line(error)}")
    except (KeyboardInterrupt, SigTermReceived):
        sys.exit("elmo: interrupted")


if __name__ == "__main__":
    # Unlike the `elmo` script, `python -m` looks for packages in the working directory before all.
    if sys.path[0] == os.getcwd() and Path(__file__).resolve().parents[1] != Path.cwd():
        del sys.path[0]
    main()
