"""The pages in docs/: their code runs, and what they name exists."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import _jsonnet
import h5py
import pytest
from allennlp.commands import parse_args

from elmo_plugin.commands.allennlp_commands import COMMANDS as ALLENNLP_COMMANDS
from elmo_plugin.commands.parser import parse_command
from elmo_plugin.commands.registry import COMMANDS
from elmo_plugin.compat.jsonnet_imports import read_import
from elmo_plugin.pretrained import load_pretrained_bilm
from elmo_plugin.weights import save_bilm
from tests.helpers.command_line import elmo
from tests.helpers.docs import PAGES, ROOT, Block, inline_code, name_of, read_blocks
from tests.helpers.docs_session import run_blocks
from tests.helpers.readme import record

DOCS = ROOT / "docs"
BLOCKS = [(page, block) for page in PAGES for block in read_blocks(page)]
ELSEWHERE = ("tutorial", "pretraining", "fine-tuning")
"""Pages that test_docs_tutorial.py and test_docs_bilms.py run."""
RUN_HERE = list({page: None for page, b in BLOCKS if b.is_run and page.stem not in ELSEWHERE})


def blocks_in(language: str) -> list[object]:
    return [
        pytest.param(block, id=f"{name_of(page)}-{i}")
        for i, (page, block) in enumerate(BLOCKS)
        if block.language == language
    ]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_read(page: Path) -> None:
    fences = re.findall(r"^```", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert 2 * len(read_blocks(page)) == len(fences)


@pytest.mark.parametrize("block", blocks_in("sh"))
def test_command_line_is_valid(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    for program, *words in record(block.text, tmp_path, ["benchmarks/gpu.sh"]):
        if program != "elmo" or words == ["--version"]:
            continue
        if words[0] in COMMANDS:
            parse_command(words[0], words[1:])
        else:
            assert words[0] in ALLENNLP_COMMANDS
            monkeypatch.setattr(sys, "argv", ["elmo", *words])
            parse_args("elmo")


@pytest.fixture
def configurations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of all pages, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for _, block in BLOCKS:
        if block.file_name:
            Path(block.file_name).write_text(block.text, encoding="utf-8")


@pytest.mark.usefixtures("configurations")
@pytest.mark.parametrize("block", blocks_in("jsonnet"))
def test_jsonnet_evaluates(block: Block) -> None:
    config = json.loads(_jsonnet.evaluate_snippet("", block.text, import_callback=read_import))
    assert config or block.file_name == "my-paths.libsonnet"


@pytest.mark.usefixtures("configurations")
@pytest.mark.parametrize("task", ["squad", "snli", "srl", "coref", "ner", "sst5"])
def test_published_paths_cover_the_task(task: str) -> None:
    task_config = f"import 'training_configs/{task}/elmo_both.jsonnet'"
    config = f"({task_config}) + (import 'my-paths.libsonnet')"
    text = _jsonnet.evaluate_snippet("", config, import_callback=read_import)
    assert "data/elmo/elmo_2x4096_512_2048cnn_2xhighway_weights.hdf5" in text
    assert "fixtures/" not in text and "training_configs/" not in text


@pytest.mark.parametrize("page", RUN_HERE, ids=name_of)
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_blocks(read_blocks(page), tmp_path, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_are_named_exist(page: Path) -> None:
    pattern = re.compile(r"(training_configs|fixtures|benchmarks|elmo_plugin|results|tests)/[^ …]*")
    for code in filter(pattern.fullmatch, inline_code(page)):
        assert (ROOT / code).exists(), code


def test_every_command_has_its_help() -> None:
    page = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^```\{command-help\} (.+)$", page, re.MULTILINE)) == set(COMMANDS)


def test_every_registered_class_is_documented() -> None:
    page = (DOCS / "reference" / "components.md").read_text(encoding="utf-8")
    for file in (ROOT / "elmo_plugin").rglob("*.py"):
        source = file.read_text(encoding="utf-8")
        for name in re.findall(
            r'^@\w+\.register\("[^\n]*\n(?:@[^\n]*\n)*class (\w+)', source, re.M
        ):
            assert f".{name}\n" in page, f"{file}: {name}"


def table_below(page: Path, heading: str) -> list[list[str]]:
    """The first table of a section, with the code of its cells."""
    section = page.read_text(encoding="utf-8").split(f"# {heading}\n")[1]
    rows = re.search(r"(^\|.*\n)+", section, re.MULTILINE)
    assert rows
    cells = [line.strip("|\n").split(" | ") for line in rows[0].splitlines()[2:]]
    return [[cell.strip().strip("`") for cell in row] for row in cells]


def test_options_are_those_of_the_built_in_bilm() -> None:
    (options,) = (b for p, b in BLOCKS if p.stem == "file-formats" and b.language == "json")
    written = ROOT / "elmo_plugin" / "pretrained" / "options.json"
    assert json.loads(options.text) == json.loads(written.read_text())


def test_every_data_set_of_weights_is_described(tmp_path: Path) -> None:
    weight_file = tmp_path / "weights.hdf5"
    save_bilm(load_pretrained_bilm(), tmp_path / "options.json", weight_file)
    names: list[str] = []
    with h5py.File(weight_file) as file:
        file.visit(names.append)
        found = {Path(name).name for name in names if isinstance(file[name], h5py.Dataset)}
    rows = table_below(DOCS / "file-formats.md", "weights.hdf5")
    described = {Path(name).name for first, *_ in rows for name in first.split("`, `")}
    # The page has a letter for the number of a filter.
    assert described == {re.sub(r"_cnn_\d+$", "_cnn_I", name) for name in found}


def test_every_data_set_of_packed_vectors_is_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, path = tmp_path / "text.txt", tmp_path / "vectors.hdf5"
    text.write_text("a sentence\n")
    elmo(monkeypatch, "embed", text, path)
    rows = table_below(DOCS / "file-formats.md", "Packed")
    with h5py.File(path) as file:
        found = {name: str(dataset.dtype) for name, dataset in file.items()}
    assert {name: kind.split(" ")[0] for name, kind, *_ in rows} == found
