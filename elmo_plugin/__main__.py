"""The `elmo` command: AllenNLP's own command line with this plugin loaded."""

from elmo_plugin import compat


def main() -> None:
    # For a checkout that is on the path but not installed: there, nothing ran at start-up.
    compat.install()

    from allennlp import __main__  # noqa: F401  (imported for the logging that it sets up)
    from allennlp.commands import main as run_command
    from allennlp.common.util import install_sigterm_handler

    install_sigterm_handler()
    run_command(prog="elmo")


if __name__ == "__main__":
    main()
