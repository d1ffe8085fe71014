"""Every command and snippet of README.md runs, on the fixtures and with tiny sizes."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import _jsonnet
import pytest
from allennlp.common.plugins import import_plugins

from elmo_plugin.__main__ import main
from elmo_plugin.compat.jsonnet_imports import read_import
from tests.helpers.readme import Block, blocks, inline_commands, record
from tests.helpers.readme_material import write_material
from tests.helpers.readme_tables import NOT_RUN, ROOT, reason_not_to_run, shrink

README = (ROOT / "README.md").read_text(encoding="utf-8")

SHELL = blocks(README, "sh")
JSONNET = blocks(README, "jsonnet")
PYTHON = blocks(README, "python")
INLINE = inline_commands(README)


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with everything that the commands read."""
    directory = tmp_path_factory.mktemp("readme")
    import_plugins()
    write_material(directory, JSONNET)
    return directory


@pytest.fixture
def directory(material: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the material as the working directory."""
    copy = tmp_path / "readme"
    shutil.copytree(material, copy, symlinks=True)
    monkeypatch.chdir(copy)
    monkeypatch.setenv("ALLENNLP_LOG_LEVEL", "WARNING")
    return copy


def run(directory: Path, command: list[str]) -> None:
    """Run a command in this process."""
    assert command[0] in ("elmo", "allennlp"), command
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        patch.setattr(sys, "argv", command)
        try:
            main()
        except SystemExit as end:
            assert end.code in (0, None), f"{command}: {end.code}"


def run_script(script: str, directory: Path) -> None:
    for command in record(script, directory):
        if reason_not_to_run(" ".join(command)) is None:
            run(directory, shrink(command))


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.heading)
def test_shell_block_runs(block: Block, directory: Path) -> None:
    run_script(block.text, directory)


@pytest.mark.parametrize("command", [c for c in INLINE if reason_not_to_run(c) is None])
def test_inline_command_runs(command: str, directory: Path) -> None:
    run_script(command.replace(" …", " config.jsonnet -s run"), directory)


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.heading)
def test_python_snippet_prints_its_comments(
    block: Block, directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    exec(compile(block.text, block.heading, "exec"), {})
    expected = re.findall(r"^print\(.*\)  # (.*)$", block.text, re.MULTILINE)
    assert expected == capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("block", JSONNET, ids=lambda block: block.heading)
def test_jsonnet_snippet_evaluates(block: Block, directory: Path) -> None:
    config = json.loads(_jsonnet.evaluate_snippet("", block.text, import_callback=read_import))
    assert config["dataset_reader"]


def test_reasons_are_for_commands_in_the_readme() -> None:
    commands = [*INLINE, *(line for block in SHELL for line in block.text.splitlines())]
    for pattern in NOT_RUN:
        assert any(re.match(pattern, command) for command in commands), pattern
