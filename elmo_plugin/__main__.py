"""The `elmo` command: AllenNLP's own command line with this plugin loaded."""

import os
import sys
from pathlib import Path

from elmo_plugin import compat


def main() -> None:
    # For a checkout that is on the path but not installed: there, nothing ran at start-up.
    compat.install()

    from allennlp import __main__  # noqa: F401  (imported for the logging that it sets up)
    from allennlp.commands import main as run_command
    from allennlp.common.checks import ConfigurationError
    from allennlp.common.util import SigTermReceived, install_sigterm_handler

    install_sigterm_handler()
    try:
        run_command(prog="elmo")
    except (ConfigurationError, OSError) as error:
        # What the user can mend needs no stack of calls.
        sys.exit(f"elmo: error: {error}")
    except (KeyboardInterrupt, SigTermReceived):
        sys.exit("elmo: interrupted")


if __name__ == "__main__":
    # Unlike the `elmo` script, `python -m` looks for packages in the working directory before all.
    if sys.path[0] == os.getcwd() and Path(__file__).resolve().parents[1] != Path.cwd():
        del sys.path[0]
    main()
