"""The start-up cost of commands, and commands without some of the dependencies."""

from __future__ import annotations

import json
import os
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest
from allennlp.commands.subcommand import Subcommand
from allennlp.common.plugins import import_plugins

from elmo_plugin import Embedder, __version__
from elmo_plugin.commands import allennlp_commands
from elmo_plugin.commands.registry import COMMANDS
from tests.helpers.command_line import RUN_MAIN, run_process
from tests.helpers.untrained import write_bilm

HEAVY = {"allennlp", "allennlp_models", "transformers", "spacy", "scipy", "sklearn", "matplotlib"}
# Generous: the modules are what is tested strictly.
CPU_SECONDS_WITHOUT_TORCH = 1.0
CPU_SECONDS_BEYOND_TORCH = 5.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folder")
    text = "It is late .\nOslo , at last !\nAn unseen wörd\n"
    (folder / "text.txt").write_text(text, encoding="utf-8")
    write_bilm(folder / "text.txt", folder / "bilm")
    (folder / "run").mkdir()
    (folder / "run" / "config.json").write_text("{}")
    return folder


@pytest.fixture(autouse=True)
def home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide plugins that are listed in the home directory."""
    monkeypatch.setenv("HOME", str(folder))


@pytest.fixture(scope="module")
def torch_cpu_seconds(folder: Path) -> float:
    # Numba compiles a loop once, in the first process after a change of the code.
    for bilm in ("built-in", folder / "bilm"):
        Embedder(bilm).encode(["It is late ."])
    return run_process(folder, code="import torch").cpu_seconds


@pytest.mark.parametrize("command", [["--help"], ["--version"], [], ["perplexty"]])
def test_without_a_command_torch_is_not_imported(command: list[str], folder: Path) -> None:
    found = run_process(folder, *command)
    assert not found.packages & {*HEAVY, "torch", "numpy", "h5py"}
    assert found.cpu_seconds < CPU_SECONDS_WITHOUT_TORCH


@pytest.mark.parametrize(
    "command",
    [
        "perplexity text.txt --unigram text.txt",
        "perplexity text.txt --bilm bilm/weights.hdf5",
        "embed text.txt out.hdf5",
        "embed text.txt out.hdf5 --bilm bilm",
        "export bilm out",
        "index text.txt index --bilm bilm",
    ],
)
def test_commands_on_files_do_without_allennlp(
    command: str, folder: Path, torch_cpu_seconds: float
) -> None:
    found = run_process(folder, *command.split())
    assert found.status == 0 and found.output and not found.errors
    # Numba looks at scipy's version, which imports none of scipy's own packages.
    assert not found.packages & (HEAVY - {"scipy"})
    assert not {"scipy.stats", "scipy.sparse", "scipy.special"} & found.modules
    assert found.cpu_seconds - torch_cpu_seconds < CPU_SECONDS_BEYOND_TORCH


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("perplexity missing", "missing: expected a text file"),
        ("perplexity text.txt --bilm missing", "missing: expected a trained biLM"),
        ("export bilm bilm", "bilm/options.json: expected an output file that is not"),
    ],
)
def test_errors_are_one_line_and_import_no_allennlp(
    command: str, expected: str, folder: Path
) -> None:
    found = run_process(folder, *command.split())
    (line,) = found.errors.splitlines()
    assert line.startswith(f"elmo: error: {expected}")
    assert found.status == 1
    assert not found.packages & HEAVY


@pytest.mark.parametrize("names", [("perplexty", "perplexity"), ("trian", "train")])
def test_a_mistyped_command_is_an_error_with_a_suggestion(
    names: tuple[str, str], folder: Path
) -> None:
    wrong, right = names
    found = run_process(folder, wrong)
    assert found.status == 2 and not found.output
    assert found.errors == (
        f"elmo: error: invalid choice: {wrong!r}; did you mean {right!r}? (see `elmo --help`)\n"
    )


def test_checklist_is_listed_where_its_package_is_installed(folder: Path, tmp_path: Path) -> None:
    if find_spec("checklist") is None:
        assert "checklist" not in run_process(folder, "--help").output
    (tmp_path / "checklist.py").touch()
    code = f"sys.path.insert(0, {str(tmp_path)!r}); {RUN_MAIN}"
    assert "checklist  " in run_process(folder, "--help", code=code).output


def test_no_command_is_an_error(folder: Path) -> None:
    found = run_process(folder)
    assert found.status == 2 and not found.output
    (line,) = found.errors.splitlines()
    assert "expected a command" in line


def test_a_command_of_another_plugin_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, library = tmp_path / "here", tmp_path / "library"
    here.mkdir()
    library.mkdir()
    (here / ".allennlp_plugins").write_text("their_plugin\n")
    (library / "their_plugin.py").write_text(
        "from allennlp.commands.subcommand import Subcommand\n"
        "@Subcommand.register('greet')\n"
        "class Greet(Subcommand):\n"
        "    def add_subparser(self, parser):\n"
        "        subparser = parser.add_parser(self.name)\n"
        "        subparser.set_defaults(func=lambda args: print('hello'))\n"
        "        return subparser\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(library), *sys.path]))
    found = run_process(here, "greet")
    assert (found.status, found.output, found.errors) == (0, "hello\n", "")


def test_allennlp_runs_the_same_command(folder: Path) -> None:
    command = ("perplexity", "text.txt", "--bilm", "bilm", "--json")
    theirs = run_process(folder, *command, code="from allennlp.__main__ import run; run()")
    assert theirs.status == 0
    assert json.loads(theirs.output) == json.loads(run_process(folder, *command).output)


def test_help_lists_all_commands(folder: Path) -> None:
    import_plugins()
    output = run_process(folder, "--help").output
    listed = {line.split()[0] for line in output.splitlines() if line.startswith("  ")}
    available = set(Subcommand.list_available())
    if find_spec("checklist") is None:
        available.remove("checklist")
    assert available == {*COMMANDS, *allennlp_commands.COMMANDS}
    assert available <= listed


def test_version(folder: Path) -> None:
    lines = run_process(folder, "--version").output.splitlines()
    versions = dict(line.split(" ", 1) for line in lines)
    assert versions["elmo_plugin"] == __version__
    for name in ("allennlp", "torch"):
        assert versions[name] == metadata.version(name)
    assert versions["Python"]


class TestWithoutAllenNlp:
    """In processes in which AllenNLP and what it imports are missing."""

    def test_embed_writes_the_same_file(self, folder: Path) -> None:
        run_process(folder, "embed", "text.txt", "a.hdf5")
        run_process(folder, "embed", "text.txt", "b.hdf5", blocked=HEAVY)
        assert (folder / "a.hdf5").read_bytes() == (folder / "b.hdf5").read_bytes()

    @pytest.mark.parametrize(
        "command",
        [
            "train config.json -s new",
            "export run out",
            "embed config.json out.hdf5",
            "import bilm x.tar.gz",
        ],
    )
    def test_commands_that_need_it_say_how_to_install_it(self, command: str, folder: Path) -> None:
        found = run_process(folder, *command.split(), blocked={"allennlp", "allennlp_models"})
        (line,) = found.errors.splitlines()
        assert found.status == 1
        assert "pip install '.[allennlp]'" in line
        assert "pip install --no-deps allennlp==" in line

    @pytest.mark.parametrize(
        ("module", "command"),
        [
            ("matplotlib", "probe text.txt text.txt --labels text.txt text.txt --out table"),
            ("sklearn", "probe text.txt text.txt --labels text.txt text.txt --bilm bilm"),
        ],
    )
    def test_a_module_of_the_analysis_extra_is_named(
        self, module: str, command: str, folder: Path
    ) -> None:
        found = run_process(folder, *command.split(), blocked=HEAVY)
        line = found.errors.splitlines()[-1]
        assert f"needs {module}" in line and "pip install '.[analysis]'" in line

    def test_a_dependency_of_allennlp_is_named(self, folder: Path) -> None:
        found = run_process(folder, "train", "config.json", "-s", "new", blocked={"transformers"})
        line = found.errors.splitlines()[-1]
        assert "needs transformers" in line and "'.[allennlp]'" in line
