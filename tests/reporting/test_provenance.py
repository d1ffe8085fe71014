"""The origin of tables, in a checkout made for the test."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from elmo_plugin.reporting import provenance
from elmo_plugin.reporting.outputs import check_outputs
from elmo_plugin.reporting.tables import Table


@pytest.fixture(autouse=True)
def _git(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hide the repository and settings that the caller, such as a git hook, has exported."""
    remembered = provenance.code_version
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    remembered.cache_clear()
    yield
    remembered.cache_clear()


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
    code = tmp_path / "package" / "code.py"
    commit = f"commit {git(tmp_path, 'rev-parse', '--short', 'HEAD')}"
    assert provenance.version_of(code) == commit
    (tmp_path / "results" / "table.md").write_text("two\n")
    assert provenance.version_of(code) == commit
    (tmp_path / "notes.py").write_text("not in the package\n")
    assert provenance.version_of(code) == commit
    new = tmp_path / "package" / "layers" / "new.py"
    new.parent.mkdir()
    new.write_text("one\n")
    assert provenance.version_of(code) == f"{commit}-dirty"
    new.unlink()
    assert provenance.version_of(code) == commit
    code.write_text("two\n")
    assert provenance.version_of(code) == f"{commit}-dirty"
    monkeypatch.setattr(provenance, "code_version", lambda: provenance.version_of(code))
    out = str(tmp_path / "tables" / "table")
    with pytest.raises(ValueError, match=rf"^--out .*table: .* found {commit}-dirty; .*--draft"):
        check_outputs(out, [])
    assert not (tmp_path / "tables").exists()
    check_outputs(out, [], draft=True)
    check_outputs(None, [])


def test_checkout_that_git_cannot_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    git(tmp_path, "init", "-q")
    monkeypatch.setenv("PATH", "")
    assert provenance.version_of(tmp_path / "package" / "__init__.py") == "unknown commit-dirty"
    (tmp_path / ".git").rename(tmp_path / "git")
    assert provenance.version_of(tmp_path / "package" / "__init__.py").startswith("elmo_plugin ")


def test_code_outside_of_version_control(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("installed here\n")
    assert provenance.version_of(tmp_path / "code.py").startswith("elmo_plugin ")


def test_changes_during_a_command_are_not_of_its_code(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    source = Path(provenance.__file__).parents[1]
    for package in ("common", "reporting"):
        shutil.copytree(source / package, clone / "elmo_plugin" / package)
    (clone / "elmo_plugin" / "__init__.py").touch()
    git(clone, "init", "-q")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "one")
    script = (
        "from elmo_plugin.reporting.provenance import __file__ as file, code_version;"
        "before = code_version(); open(file, 'a').write('# changed');"
        "print(before, code_version(), sep=',')"
    )
    environment = {**os.environ, "PYTHONPATH": str(clone)}
    command = [sys.executable, "-c", script]
    found = subprocess.check_output(command, text=True, cwd=tmp_path, env=environment)
    commit = f"commit {git(clone, 'rev-parse', '--short', 'HEAD')}"
    assert found.strip().split(",") == [commit, commit]


@pytest.mark.skipif(shutil.which("lscpu") is None, reason="lscpu is of util-linux")
def test_tables_name_the_processor() -> None:
    assert provenance.processor()
    assert provenance.processor() in subprocess.check_output(["lscpu"], text=True)


def test_command_machine_and_code_are_added_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/elmo", "probe", "a file"])
    table = Table("t", ["a"], [[1]], {"Seed": 0, "Code": "commit abc"})
    metadata = provenance.with_provenance(table).metadata
    assert list(metadata) == ["Seed", "Code", "Command", "Date", "Machine"]
    assert metadata["Command"] == "`elmo probe 'a file'`"
    assert metadata["Code"] == "commit abc"
    monkeypatch.setattr(sys, "argv", ["benchmarks/play.py", "x"])
    assert provenance.with_provenance(table).metadata["Command"] == "`python benchmarks/play.py x`"


@pytest.mark.parametrize(
    "argument",
    ["a", "a b", "", "import 'b'", 'it\'s "c"', "'$d'", "'`e`'", "'f!'", "'g\\\\'", "\n'h'"],
)
def test_command_is_what_a_shell_was_given(argument: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/elmo", argument])
    found = provenance.with_provenance(Table("t", ["a"], [])).metadata["Command"]
    command = found.strip("`").replace("elmo", "printf %s", 1)
    printed = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert printed.stdout == argument


def test_command_is_quoted_legibly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["elmo", "tasks", "--overrides", "import 'paths.libsonnet'"])
    found = provenance.with_provenance(Table("t", ["a"], [])).metadata["Command"]
    assert found == "`elmo tasks --overrides \"import 'paths.libsonnet'\"`"


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
        ValueError, match=r"^x: expected training runs .*, found commit abc-dirty; .*--draft"
    ):
        provenance.check_trained_by_committed(["commit abc-dirty", "commit def"], prefix="x: ")
