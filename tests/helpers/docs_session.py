"""Runs the blocks of a page in order, as its reader would, with tiny sizes."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import _jsonnet
import pytest

import elmo_plugin.integrations.spacy  # noqa: F401  (by an entry point, where it is installed)
from elmo_plugin.__main__ import main
from elmo_plugin.compat.jsonnet_imports import read_import
from tests.helpers.docs import ROOT, Block
from tests.helpers.readme import record
from tests.helpers.readme_material import write_texts
from tests.helpers.untrained import write_bilm

_TASK = {"dataset_reader.max_instances": 8, "trainer.num_epochs": 1}
_BILM = {
    "data_loader.batch_size": 4,
    "data_loader.batches_per_epoch": 2,
    "model.num_samples": 16,
    "trainer.num_epochs": 1,
}
_NEW_BILM = {**_BILM, "model.cell_dim": 8, "model.filters": [[1, 4], [2, 4]]}


def run_blocks(blocks: Iterable[Block], directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the blocks of a page in an empty directory, each with what those before it have left."""
    monkeypatch.chdir(directory)
    monkeypatch.setenv("ALLENNLP_LOG_LEVEL", "ERROR")
    session = Session(directory)
    for block in blocks:
        session.run(block)


class Session:
    """
    A working directory with fixtures, texts and a small biLM in `my-bilm`.

    # Parameters

    directory : `Path`
        Empty.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.names: dict[str, Any] = {}
        for name in ("training_configs", "fixtures", "results"):
            (directory / name).symlink_to(ROOT / name)
        write_texts(directory)
        text = directory / "text"
        for name in ("domain-train", "domain-dev"):
            shutil.copy(text / "train-1.txt.gz", text / f"{name}.txt.gz")
        words = [(subject, place) for subject in ["비", "눈", "바람"] for place in range(20)]
        lines = [f"{place}번 거리에 {subject}가 온다." for subject, place in words]
        (directory / "kowiki.txt").write_text(" ".join(lines), encoding="utf-8")
        write_bilm(ROOT / "fixtures" / "lm" / "heldout.txt", directory / "my-bilm")

    def run(self, block: Block) -> None:
        """Run a block of Python or of shell commands, or write the file of a Jsonnet block."""
        if block.language == "jsonnet" and block.file_name:
            (self.directory / block.file_name).write_text(block.text, encoding="utf-8")
        elif block.is_run and block.language == "python":
            self._run_python(block)
        elif block.is_run:
            for command in record(block.text, self.directory):
                if "ray" in command:
                    self._run_on_ray(command)
                elif command[0] == "elmo":
                    self._run_command(command)

    def _run_python(self, block: Block) -> None:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block.text, "block", "exec"), self.names)
        assert output.getvalue().splitlines() == block.printed

    def _run_command(self, command: list[str]) -> None:
        extra = self._tiny_overrides(command[2]) if command[1] == "train" else []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", [*command, *extra])
            try:
                main()
            except SystemExit as end:
                assert end.code in (0, None), f"{command}: {end.code}"

    def _run_on_ray(self, command: list[str]) -> None:
        """Run a command where Ray is installed, and stop the cluster that it starts."""
        if importlib.util.find_spec("ray") is not None:
            self._run_command(command)
            importlib.import_module("ray").shutdown()

    def _tiny_overrides(self, config: str) -> list[str]:
        text = _jsonnet.evaluate_file(config, import_callback=read_import)
        model = json.loads(text)["model"]
        overrides: dict[str, Any] = _TASK
        if model["type"] == "bilm":
            overrides = _BILM if "pretrained_file" in model else _NEW_BILM
        return ["-o", json.dumps(overrides)]
