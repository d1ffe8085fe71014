"""The `elmo` command."""

import io
import os
import sys
from pathlib import Path

from elmo_plugin import compat


def main() -> None:
    # Imported here: at the top, `python -m` would still look in the working directory first.
    import signal

    from elmo_plugin.commands.dispatch import run_command
    from elmo_plugin.commands.error_lines import discard_closed_output, error_line

    # For a checkout on the path that is not installed, whose .pth file Python has not read.
    compat.install()
    # Also stops AllenNLP's training, which then archives its best epoch.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell, as by `>&-`
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # File names need not be UTF-8.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        run_command(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit("elmo: interrupted")
    except Exception as error:  # AllenNLP's own types may not be imported here
        if isinstance(error, BrokenPipeError) and discard_closed_output():
            sys.exit(1)
        line = error_line(error)
        if line is None:
            raise
        if "ALLENNLP_DEBUG" in os.environ:
            sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(f"elmo: error: {line}")


if __name__ == "__main__":
    # Unlike the `elmo` script, `python -m` looks for packages in the working directory first.
    if sys.path[0] == os.getcwd() and Path(__file__).resolve().parents[1] != Path.cwd():
        del sys.path[0]
    main()
