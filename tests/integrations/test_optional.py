"""Messages where a library is not installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.command_line import run_process


@pytest.mark.parametrize("library", ["sklearn", "spacy"])
def test_a_missing_library_is_named_with_the_command_that_installs_it(
    library: str, tmp_path: Path
) -> None:
    code = f"import elmo_plugin.integrations.{library}"
    errors = run_process(tmp_path, code=code, blocked={library}).errors
    assert errors.splitlines()[-1] == (
        f"ModuleNotFoundError: this needs {library}, which is not installed; "
        f"in a clone of elmo_plugin: pip install '.[{library}]'"
    )
    assert errors.count("Traceback") == 1
