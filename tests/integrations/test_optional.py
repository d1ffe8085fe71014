"""Messages where a library is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {library!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name={library!r})

sys.meta_path.insert(0, Blocker())
import elmo_plugin.integrations.{library}
"""


@pytest.mark.parametrize("library", ["sklearn", "spacy"])
def test_a_missing_library_is_named_with_the_command_that_installs_it(library: str) -> None:
    command = [sys.executable, "-c", PROGRAM.format(library=library)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: this needs {library}, which is not installed: "
        f"pip install 'elmo_plugin[{library}]'"
    )
    assert done.stderr.count("Traceback") == 1
