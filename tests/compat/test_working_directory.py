"""A working directory with files named like modules of AllenNLP and of this plugin: none runs."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from allennlp.common import Registrable, plugins
from allennlp.common.util import import_module_and_submodules

from elmo_plugin.compat.command import running_command

ROOT = Path(__file__).parent.parent.parent
MARKED = (
    "analysis",
    "checklist",
    "commands",
    "common",
    "compat",
    "data",
    "evaluation",
    "experiments",
    "layers",
    "models",
    "modules",
    "nn",
    "plugin_of_this_folder",
    "predictors",
    "pretrained",
    "tasks",
    "tools",
    "training",
    "weights",
)
# Not installed here, where it would be imported rightly.
DEFAULT_PLUGIN = "allennlp_server"
LEAVE_A_MARK = "from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\n"
# The installed script, which has its own directory, not the working one, on the path.
ALLENNLP = """
from elmo_plugin import compat
compat.install()
from allennlp.__main__ import run
run()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    for name in (*MARKED, DEFAULT_PLUGIN, "torchvision"):
        (folder / f"{name}.py").write_text(LEAVE_A_MARK)
    (folder / ".allennlp_plugins").write_text("plugin_of_this_folder\n")
    (folder / "my_package").mkdir()
    (folder / "my_package" / "__init__.py").write_text(LEAVE_A_MARK)
    (folder / "my_package" / "models.py").write_text(LEAVE_A_MARK)
    return folder


def marks(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*.ran"))


@pytest.mark.parametrize(
    "command", ["elmo --help", "elmo predict missing missing", "allennlp --help"]
)
def test_commands_run_no_file(folder: Path, command: str, tmp_path: Path) -> None:
    script = tmp_path / "run_allennlp.py"
    script.write_text(ALLENNLP)
    name, *arguments = command.split()
    # `python -m` puts the working directory first on the path.
    program = ["-m", "elmo_plugin"] if name == "elmo" else [str(script)]
    done = subprocess.run(
        [sys.executable, *program, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    expected = "usage:" if "--help" in arguments else "elmo: error: file missing not found"
    assert expected in done.stdout + done.stderr
    assert marks(folder) == []
    imports_plugins = command != "elmo --help"
    assert ("--include-package plugin_of_this_folder" in done.stderr) == imports_plugins


@pytest.fixture
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Change to the directory."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield folder
    own = {"my_package", "my_animals", "my_plugin", "beside", "plugin_of_this_folder"}
    for name in [name for name in sys.modules if name.partition(".")[0] in own]:
        del sys.modules[name]


def test_included_packages_run(inside: Path) -> None:
    import_module_and_submodules("my_package")
    assert marks(inside) == ["my_package/__init__.ran", "my_package/models.ran"]


def test_included_packages_import_files_beside_them(inside: Path) -> None:
    (inside / "my_package" / "__init__.py").write_text(
        "def later():\n    import beside\n    return beside\n"
    )
    (inside / "beside.py").write_text("value = 1\n")
    import_module_and_submodules("my_package")
    assert sys.modules["my_package"].later().value == 1


def test_included_namespace_packages_run(inside: Path) -> None:
    (inside / "my_package" / "__init__.py").unlink()
    import_module_and_submodules("my_package")
    assert marks(inside) == ["my_package/models.ran"]


def test_private_test_and_excluded_modules_do_not_run(inside: Path) -> None:
    for name in ("_private", "tests", "test_models", "left_out", "also"):
        (inside / "my_package" / f"{name}.py").write_text(LEAVE_A_MARK)
    import_module_and_submodules("my_package", exclude={"my_package.left_out"})
    ran = ["my_package/__init__.ran", "my_package/also.ran", "my_package/models.ran"]
    assert marks(inside) == ran


def test_classes_that_a_training_names_are_imported(inside: Path) -> None:
    class Animal(Registrable):
        pass

    (inside / "my_animals.py").write_text("class Cat:\n    pass\n")
    found, _ = Animal.resolve_class_name("my_animals.Cat")
    assert found is sys.modules["my_animals"].Cat
    assert marks(inside) == []


def test_commands_find_installed_plugins_only(
    inside: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    installed = tmp_path / "site-packages"
    installed.mkdir()
    (installed / "my_plugin.py").write_text("")
    sys.path.append(str(installed))
    (inside / ".allennlp_plugins").write_text("my_plugin\nplugin_of_this_folder\n")
    with caplog.at_level(logging.WARNING), running_command():
        found = list(plugins.discover_plugins())
    assert "my_plugin" in found and "plugin_of_this_folder" not in found
    assert "--include-package plugin_of_this_folder" in caplog.text
    assert marks(inside) == []


def test_programs_that_load_an_archive_import_no_plugins_of_the_working_directory(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = tmp_path_factory.mktemp("program") / "main.py"
    program.write_text(
        "from elmo_plugin.models.archives import load_archived_elmo\n"
        "load_archived_elmo('none.tar.gz')\n"
    )
    command = [sys.executable, str(program)]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert "none.tar.gz" in ended.stderr.splitlines()[-1]
    assert marks(folder) == []


def test_programs_import_plugins_of_the_working_directory(inside: Path) -> None:
    plugins.import_plugins()
    assert marks(inside) == ["plugin_of_this_folder.ran"]
