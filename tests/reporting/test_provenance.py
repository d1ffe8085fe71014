"""What a table says of the code that made it, in a checkout made for it."""

import subprocess
from pathlib import Path

import pytest
from elmo_plugin.analysis import provenance


def git(directory: Path, *command: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    git_command = ["git", "-C", str(directory), *who, *command]
    return subprocess.run(git_command, check=True, capture_output=True, text=True).stdout.strip()


def test_the_commit_and_whether_the_code_is_its(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("package/code.py", "results/table.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("one\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "package" / "code.py"))
    commit = f"commit {git(tmp_path, 'rev-parse', '--short', 'HEAD')}"
    assert provenance.code_version() == commit
    (tmp_path / "results" / "table.md").write_text("two\n")
    assert provenance.code_version() == commit
    (tmp_path / "package" / "code.py").write_text("two\n")
    assert provenance.code_version() == f"{commit}-dirty"


def test_code_that_is_not_the_checkouts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("installed here\n")
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "code.py"))
    assert provenance.code_version().startswith("elmo_plugin ")
