"""What starting a command costs, and what is missing where only part of the package's
dependencies is installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from allennlp.commands.subcommand import Subcommand
from allennlp.common.plugins import import_plugins

from elmo_plugin import __version__
from elmo_plugin.commands import allennlp_commands
from elmo_plugin.commands.table import COMMANDS
from tests.commands.command_line import run_process
from tests.untrained import write_bilm

HEAVY = {"allennlp", "allennlp_models", "transformers", "spacy", "scipy", "sklearn", "matplotlib"}
SMALL_CPU_SECONDS = 1.0
LARGE_CPU_SECONDS = 10.0
TEXT = "It is late .\nOslo , at last !\nAn unseen wörd\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folder")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    write_bilm(folder / "text.txt", folder / "bilm")
    return folder


@pytest.mark.parametrize("command", [["--help"], ["-h"], ["--version"], [], ["perplexty"]])
def test_without_a_command_nothing_heavy_is_imported(command: list[str], folder: Path) -> None:
    found = run_process(folder, *command)
    assert not found.packages & {*HEAVY, "torch", "numpy", "h5py"}
    assert found.cpu_seconds < SMALL_CPU_SECONDS


@pytest.mark.parametrize("bilm", ["built-in", "bilm", "bilm/weights.hdf5"])
@pytest.mark.parametrize("command", ["perplexity text.txt", "embed text.txt out.hdf5"])
def test_commands_on_files_import_torch_alone(command: str, bilm: str, folder: Path) -> None:
    torch = run_process(folder, code="import torch")
    found = run_process(folder, *command.split(), "--bilm", bilm)
    assert found.status == 0 and found.output and not found.errors
    assert not found.packages & HEAVY
    assert found.cpu_seconds - torch.cpu_seconds < LARGE_CPU_SECONDS


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("perplexity missing", "missing: expected a text file"),
        ("perplexity text.txt --bilm missing", "missing: expected a trained biLM"),
        ("embed text.txt out.hdf5 --bilm bilm/options.json", "bilm/options.json"),
        ("export bilm bilm", "expected another file to write"),
    ],
)
def test_errors_are_one_line_and_import_no_allennlp(
    command: str, expected: str, folder: Path
) -> None:
    found = run_process(folder, *command.split())
    (line,) = found.errors.splitlines()
    assert line.startswith(f"elmo: error: {expected}") or expected in line
    assert found.status == 1
    assert not found.packages & HEAVY


def test_a_mistyped_command_is_named_with_a_suggestion(folder: Path) -> None:
    for wrong, right in {
        "perplexty": "perplexity",
        "trian": "train",
        "neighbours": "neighbors",
    }.items():
        found = run_process(folder, wrong)
        assert found.status == 2 and not found.output
        assert found.errors.splitlines()[-1].endswith(
            f"invalid choice: {wrong!r}; did you mean {right!r}?"
        )


def test_no_command_is_an_error(folder: Path) -> None:
    found = run_process(folder)
    assert found.status == 2 and not found.output
    assert "expected a command" in found.errors.splitlines()[-1]


def test_a_command_of_another_plugin_is_found(tmp_path: Path) -> None:
    (tmp_path / ".allennlp_plugins").write_text("their_plugin\n")
    (tmp_path / "their_plugin.py").write_text(
        "from allennlp.commands.subcommand import Subcommand\n"
        "@Subcommand.register('greet')\n"
        "class Greet(Subcommand):\n"
        "    def add_subparser(self, parser):\n"
        "        subparser = parser.add_parser(self.name)\n"
        "        subparser.set_defaults(func=lambda args: print('hello'))\n"
        "        return subparser\n"
    )
    found = run_process(tmp_path, "greet")
    assert (found.status, found.output) == (0, "hello\n")


def test_allennlp_commands_start_with_no_line_about_plugins(folder: Path) -> None:
    found = run_process(folder, "print-results", "--help")
    assert found.status == 0 and not found.errors
    assert "Plugin" not in found.output


def test_version(folder: Path) -> None:
    from importlib import metadata

    lines = run_process(folder, "--version").output.splitlines()
    versions = dict(line.split(" ", 1) for line in lines)
    assert versions["elmo_plugin"] == __version__
    for name in ("allennlp", "torch"):
        assert versions[name] == metadata.version(name)
    assert versions["Python"]


def test_help_lists_each_command(folder: Path) -> None:
    import_plugins()
    output = run_process(folder, "--help").output
    listed = {line.split()[0] for line in output.splitlines() if line.startswith("  ")}
    assert set(Subcommand.list_available()) <= listed
    assert set(Subcommand.list_available()) == {*COMMANDS, *allennlp_commands.COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_allennlp_has_the_same_arguments(name: str, folder: Path) -> None:
    found = run_process(folder, name, "--help")
    code = "from allennlp.__main__ import run; run()"
    theirs = run_process(folder, name, "--help", code=code)
    assert found.status == theirs.status == 0
    options = [{w for w in x.output.split() if w.startswith("--")} for x in (found, theirs)]
    assert options[0] == options[1]
    assert COMMANDS[name].help


class TestWithoutAllenNlp:
    def test_perplexity_and_embed(self, folder: Path) -> None:
        blocked = (*HEAVY, "tqdm")
        usual = run_process(folder, "perplexity", "text.txt", "--json")
        found = run_process(folder, "perplexity", "text.txt", "--json", blocked=blocked)
        assert json.loads(found.output) == json.loads(usual.output)
        assert run_process(folder, "embed", "text.txt", "new.hdf5", blocked=blocked).status == 0

    @pytest.mark.parametrize("command", ["train config.json -s run", "export run out", "curve a b"])
    def test_what_needs_it_says_how_to_install_it(self, command: str, folder: Path) -> None:
        found = run_process(folder, *command.split(), blocked=("allennlp",))
        (line,) = found.errors.splitlines()
        assert found.status == 1
        assert "pip install 'elmo_plugin[allennlp]'" in line and "--no-deps allennlp" in line

    def test_version_says_so(self, folder: Path) -> None:
        code = (
            "from importlib import metadata; version = metadata.version\n"
            "    def without(name):\n"
            "        if name == 'allennlp': raise metadata.PackageNotFoundError(name)\n"
            "        return version(name)\n"
            "    metadata.version = without\n"
            "    from elmo_plugin.__main__ import main; main()"
        )
        assert "allennlp not installed\n" in run_process(folder, "--version", code=code).output
