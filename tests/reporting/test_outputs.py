"""The output of tables and figures."""

import json
import os
import re
import subprocess
import sys
import textwrap
from functools import partial
from pathlib import Path

import pytest

import elmo_plugin
from elmo_plugin.reporting.figures import lines
from elmo_plugin.reporting.outputs import Result, check_outputs, write_result
from elmo_plugin.reporting.stored_tables import to_table
from elmo_plugin.reporting.tables import Table
from tests.helpers.terminal import read_terminal

KINDS = ("md", "json", "png", "svg")
TABLE = Table("t", ["a"], [[0.5]], {"Seed": 0})


@pytest.mark.parametrize("as_json", [False, True])
def test_files_and_standard_output_are_the_same(
    as_json: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = partial(lines, {"y": ([1, 2], [2.0, 2.5])}, "x", "y", "title")
    write_result(str(tmp_path / "out"), Result(TABLE, draw), as_json)
    assert {file.name for file in tmp_path.iterdir()} == {f"out.{k}" for k in KINDS}
    printed = capsys.readouterr().out.rstrip("\n")
    assert printed == (tmp_path / ("out.json" if as_json else "out.md")).read_text().rstrip("\n")
    written = to_table(json.loads((tmp_path / "out.json").read_text()))
    assert written.rows == TABLE.rows
    assert set(written.metadata) == {"Seed", "Command", "Date", "Machine", "Code"}


def test_files_are_written_if_nobody_reads_standard_output(tmp_path: Path) -> None:
    code = f"""
        from elmo_plugin.reporting.outputs import Result, write_result
        from elmo_plugin.reporting.tables import Table
        rows = [["x" * 1000]] * 1000
        write_result({str(tmp_path / "out")!r}, Result(Table("t", ["a"], rows)))
    """
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", textwrap.dedent(code)]
    assert subprocess.run(command, stdout=writer, stderr=subprocess.PIPE).returncode != 0
    os.close(writer)
    assert {file.name for file in tmp_path.iterdir()} == {"out.md", "out.json"}


def test_a_table_without_a_figure_leaves_none_of_an_earlier_one(tmp_path: Path) -> None:
    draw = partial(lines, {"y": ([1, 2], [2.0, 2.5])}, "x", "y", "title")
    write_result(str(tmp_path / "out"), Result(TABLE, draw))
    write_result(str(tmp_path / "out"), Result(TABLE))
    assert {file.name for file in tmp_path.iterdir()} == {"out.md", "out.json"}


def test_figures_are_not_drawn_without_a_prefix(capsys: pytest.CaptureFixture[str]) -> None:
    write_result(None, Result(TABLE, lambda: pytest.fail("drawn")))
    assert "| 0.50 |" in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_do_not_replace_inputs(kind: str, tmp_path: Path) -> None:
    (tmp_path / f"out.{kind}").write_text("input")
    with pytest.raises(ValueError, match=rf"out\.{kind}: expected an output file that is not"):
        check_outputs(str(tmp_path / "out"), [str(tmp_path / f"out.{kind}")])
    check_outputs(str(tmp_path / "new" / "out"), [str(tmp_path / f"out.{kind}")])
    assert (tmp_path / "new").is_dir()


def test_outputs_replace_no_json_but_tables(tmp_path: Path) -> None:
    data = tmp_path / "dev-v1.1.json"
    data.write_text('{"version": "1.1", "data": []}')
    with pytest.raises(
        ValueError, match=r"dev-v1\.1\.json: expected a table or nothing to replace"
    ):
        check_outputs(str(data.with_suffix("")), [])
    write_result(str(tmp_path / "table"), Result(TABLE))
    check_outputs(str(tmp_path / "table"), [])
    for kind in ("md", "png"):
        (tmp_path / f"notes.{kind}").write_text("mine")
        with pytest.raises(ValueError, match=rf"notes\.{kind}: expected .*notes\.json beside"):
            check_outputs(str(tmp_path / "notes"), [])
        (tmp_path / f"notes.{kind}").unlink()


def test_terminals_get_a_drawn_table(tmp_path: Path) -> None:
    code = """
        from elmo_plugin.reporting.outputs import Result, write_result
        from elmo_plugin.reporting.tables import Table
        write_result(None, Result(Table("Scores [of] a", ["name", "F1"], [["a|[b]", 0.5]])))
    """
    leader, follower = os.openpty()
    command = [sys.executable, "-c", textwrap.dedent(code)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    subprocess.run(command, stdout=follower, env=environment, check=True)
    os.close(follower)
    text = re.sub(r"\x1b\[[0-9;]*m", "", read_terminal(leader))
    assert "Scores [of] a" in text and "| ---" not in text
    assert re.search(r"│ a\|\[b\] │ 0\.50 │", text)


def test_outputs_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "table.png").mkdir()
    with pytest.raises(ValueError, match=r"table\.png: expected a file or nothing, found a dir"):
        check_outputs(str(tmp_path / "table"), [])
    # Nobody, not even root, can make files there.
    with pytest.raises(ValueError, match="--out /proc/table: expected a directory that can be wr"):
        check_outputs("/proc/table", [])


@pytest.mark.parametrize("name", ["config", "metrics", "options"])
def test_outputs_do_not_replace_the_files_of_an_input_directory(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.json").write_text("{}")
    with pytest.raises(ValueError, match="expected an output file that is not also an input"):
        check_outputs(str(tmp_path / name), [str(tmp_path)])
    check_outputs(str(tmp_path / "table"), [str(tmp_path)])


def test_outputs_do_not_replace_inputs_in_the_home_directory_or_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "bilm").mkdir()
    (tmp_path / "bilm" / "options.json").write_text("{}")
    built_in = Path(elmo_plugin.__file__).parent / "pretrained"
    for folder, name in ((tmp_path / "bilm", "~/bilm"), (built_in, "built-in")):
        with pytest.raises(ValueError, match="expected an output file that is not also an input"):
            check_outputs(str(folder / "options"), [name])
