"""A second training run in the directory of one that is not finished."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.train import train_model
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.training.callbacks import TrainerCallback

from elmo_plugin.compat.recovery import directory_lock
from elmo_plugin.compat.recovery.directory_lock import locked
from tests.helpers.interrupted_trainings import FIXTURES, contents, interrupted, tagger

import_plugins()

REFUSED = "expected a directory that no other process is training in"


@TrainerCallback.register("start_another")
class StartAnother(TrainerCallback):
    """Start another training run in the same directory after the first epoch."""

    def __init__(self, serialization_dir: str, option: str) -> None:
        super().__init__(serialization_dir)
        self._option = option

    def on_epoch(self, trainer: Any, metrics: Any, epoch: int, **kwargs: Any) -> None:
        if epoch > 0:
            return
        folder = Path(self.serialization_dir)
        # As if it was being written.
        (folder / ".best.th.0.tmp").touch()
        before = contents(folder)
        with pytest.raises(ConfigurationError, match=f"^{folder}: {REFUSED}$"):
            train_model(tagger(FIXTURES), str(folder), **{self._option: True})
        assert contents(folder) == before
        assert [path.name for path in folder.parent.iterdir()] == [folder.name]


@pytest.mark.parametrize("option", ["recover", "force"])
def test_is_refused_and_changes_nothing(option: str, tmp_path: Path) -> None:
    callbacks = [{"type": "start_another", "option": option}]
    params = tagger(FIXTURES, **{"trainer.callbacks": callbacks})
    train_model(params, str(tmp_path / "run"))
    assert (tmp_path / "run" / "metrics_epoch_1.json").exists()
    assert (tmp_path / "run" / "model.tar.gz").exists()


@pytest.mark.parametrize("option", ["recover", "force"])
def test_starts_after_the_first_has_ended(option: str, tmp_path: Path) -> None:
    interrupted(tagger(FIXTURES), tmp_path / "run")
    train_model(tagger(FIXTURES), str(tmp_path / "run"), **{option: True})
    train_model(tagger(FIXTURES), str(tmp_path / "run"), force=True)
    assert (tmp_path / "run" / "model.tar.gz").exists()


def test_lock_ends_while_a_forked_process_still_has_it_open(tmp_path: Path) -> None:
    with locked(tmp_path):
        (descriptor,) = directory_lock._descriptors
        copy = os.dup(descriptor)  # as a process has that was forked a moment ago
    with locked(tmp_path), pytest.raises(ConfigurationError, match=REFUSED), locked(tmp_path):
        pass
    os.close(copy)


@TrainerCallback.register("fork_and_interrupt")
class ForkAndInterrupt(TrainerCallback):
    """Leave a process behind, then interrupt."""

    child = writing = 0

    def on_epoch(self, trainer: Any, metrics: Any, epoch: int, **kwargs: Any) -> None:
        if ForkAndInterrupt.child:
            return
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            try:
                os.close(writing)
                os.read(reading, 1)  # until the test closes its end
            finally:
                os._exit(0)
        os.close(reading)
        ForkAndInterrupt.child, ForkAndInterrupt.writing = child, writing
        raise KeyboardInterrupt


def test_processes_that_are_left_hold_no_lock(tmp_path: Path) -> None:
    params = tagger(FIXTURES, **{"trainer.callbacks": ["fork_and_interrupt"]})
    with pytest.raises(KeyboardInterrupt):
        train_model(params.duplicate(), str(tmp_path / "run"))
    try:
        train_model(params, str(tmp_path / "run"), recover=True)
    finally:
        os.close(ForkAndInterrupt.writing)
        os.waitpid(ForkAndInterrupt.child, 0)
