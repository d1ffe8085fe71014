"""simple_elmo, which is bilm-tf for current TensorFlow, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy
import torch

# `make .venv-tensorflow/installed` makes this environment.
_FOLDER = Path(__file__).parents[2] / ".venv-tensorflow"
PYTHON = str(_FOLDER / "bin" / "python")


class SimpleElmo:
    """
    # Parameters

    options, weights : `str`
        Files of a biLM.
    sentences : `List[List[str]]`
    batch_size : `int`
        Sentences per batch.
    threads : `int`
    """

    def __init__(
        self,
        options: str,
        weights: str,
        sentences: list[list[str]],
        batch_size: int,
        threads: int,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        # simple_elmo takes a directory that holds no other HDF5 files.
        for source, name in ((options, "options.json"), (weights, "model.hdf5")):
            Path(self._folder.name, name).symlink_to(Path(source).resolve())
        job = {
            "folder": self._folder.name,
            "sentences": sentences,
            "batch_size": batch_size,
            "threads": threads,
        }
        job_file = Path(self._folder.name, "job.json")
        job_file.write_text(json.dumps(job), encoding="utf-8")
        script = str(Path(__file__).with_name("simple_elmo_worker.py"))
        self._process = subprocess.Popen(
            [PYTHON, script, str(job_file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(Path(self._folder.name) / "log.txt").open("w"),
            env={**os.environ, "TF_USE_LEGACY_KERAS": "1", "PYTHONPATH": ""},
            text=True,
        )

    def layers(self) -> torch.Tensor:
        """All layers of the first batch. Shape (layers, batch, tokens, dim)."""
        file = f"{self._folder.name}/layers.npy"
        self._ask(f"save {file}")
        return torch.from_numpy(numpy.load(file)).transpose(0, 1)

    def seconds_of_passes(self) -> float:
        """Time the graph alone, on character ids that are ready."""
        return float(self._ask("passes"))

    def seconds_of_texts(self) -> float:
        """Time `get_elmo_vectors`, from tokens to the average of the layers."""
        return float(self._ask("texts"))

    def close(self) -> None:
        self._process.communicate()  # closes standard input, which ends it
        self._folder.cleanup()

    def _ask(self, command: str) -> str:
        assert self._process.stdin and self._process.stdout
        with suppress(BrokenPipeError):  # it has ended: its log says why
            print(command, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline().strip()
        if not answer:
            sys.exit(f"simple_elmo: {Path(self._folder.name, 'log.txt').read_text()[-2000:]}")
        return answer


def is_installed() -> bool:
    return Path(PYTHON).exists()
