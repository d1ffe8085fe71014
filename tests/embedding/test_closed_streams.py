"""`elmo embed` without standard output or standard error, as after `>&-` in a shell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.command_line import RUN_MAIN


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_the_file_is_written(closed: str, bilm_folder: str, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("The bank is closed .\n")
    options = f"--bilm {bilm_folder} --layers last --pooling mean --workers 1"
    command = f"{sys.executable} -c '{RUN_MAIN}' embed text.txt out.npy {options} {closed}"
    assert subprocess.run(command, shell=True, cwd=tmp_path).returncode == 0
    assert (tmp_path / "out.npy").exists()
