"""The origin of tables, in a checkout made for the test."""

import subprocess
import sys
from pathlib import Path

import pytest

from elmo_plugin.reporting import provenance
from elmo_plugin.reporting.outputs import check_outputs
from elmo_plugin.reporting.tables import Table


@pytest.fixture(autouse=True)
def _git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_DIR", raising=False)


def git(directory: Path, *command: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    git_command = ["git", "-C", str(directory), *who, *command]
    return subprocess.run(git_command, check=True, capture_output=True, text=True).stdout.strip()


def test_commit_and_uncommitted_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    out = str(tmp_path / "tables" / "table")
    with pytest.raises(ValueError, match=rf"^--out .*table: .* found {commit}-dirty; .*--draft"):
        check_outputs(out, [])
    assert not (tmp_path / "tables").exists()
    check_outputs(out, [], draft=True)
    check_outputs(None, [])


def test_code_outside_of_version_control(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("installed here\n")
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "code.py"))
    assert provenance.code_version().startswith("elmo_plugin ")


def test_command_machine_and_code_are_added_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/elmo", "probe", "a file"])
    table = Table("t", ["a"], [[1]], {"Seed": 0, "Code": "commit abc"})
    metadata = provenance.with_provenance(table).metadata
    assert list(metadata) == ["Seed", "Code", "Command", "Date", "Machine"]
    assert metadata["Command"] == "`elmo probe 'a file'`"
    assert metadata["Code"] == "commit abc"
    monkeypatch.setattr(sys, "argv", ["benchmarks/play.py", "x"])
    assert provenance.with_provenance(table).metadata["Command"] == "`python benchmarks/play.py x`"


@pytest.mark.parametrize("key", ["Code", provenance.TRAINED_BY])
def test_tables_of_changes_that_are_not_committed_are_drafts(key: str) -> None:
    table = Table("t", ["a"], [[1]], {"Code": "commit abc", key: "commit abc, commit def-dirty"})
    assert provenance.with_provenance(table).title == "Draft: t"
    clean = Table("t", ["a"], [[1]], {"Code": "commit abc", key: "commit abc, commit def"})
    assert provenance.with_provenance(clean).title == "t"


def test_changes_that_are_not_committed_are_refused_without_a_draft() -> None:
    provenance.check_trained_by_committed(["commit abc", "elmo_plugin 1.0"])
    provenance.check_trained_by_committed(["commit abc-dirty"], draft=True)
    with pytest.raises(
        ValueError, match=r"^x: expected trainings .*, found commit abc-dirty; .*--draft"
    ):
        provenance.check_trained_by_committed(["commit abc-dirty", "commit def"], prefix="x: ")
