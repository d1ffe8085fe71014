"""Damaged and incomplete checkpoints."""

from __future__ import annotations

import json
import pickle
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.training import Checkpointer

from elmo_plugin.training.checkpointer import AtomicCheckpointer
from elmo_plugin.training.state_file import load_state, read_checksum, save_state

import_plugins()


ROOT = Path(__file__).parents[2]


SMALL: dict[str, Any] = {
    "model.filters": [[1, 8], [3, 8]],
    "model.projection_dim": 16,
    "model.cell_dim": 32,
    "data_loader.batch_size": 4,
    "data_loader.unroll_steps": 10,
    "data_loader.batches_per_epoch": 8,
    "data_loader.prefetch": 0,
    "trainer.num_epochs": 2,
    "trainer.checkpointer.save_every_num_batches": 3,
    "trainer.callbacks": [],
    "validation_data_path": str(ROOT / "fixtures/lm/korean.txt"),
}


NEWEST, BEFORE = "e2_b0", "e1_b6"


def params(**changes: Any) -> Params:
    config = ROOT / "training_configs" / "bilm" / "mini.jsonnet"
    return Params.from_file(config, json.dumps({**SMALL, **changes}))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        train_model(params(), str(folder))
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of a training run that was killed after its last checkpoint."""
    monkeypatch.chdir(ROOT)
    folder = Path(shutil.copytree(finished, tmp_path / "run"))
    for name in ("metrics.json", "model.tar.gz"):
        (folder / name).unlink()
    return folder


def flip_a_bit(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[random.Random(0).randrange(len(content))] ^= 1
    file.write_bytes(content)


def overwrite_400_bytes(file: Path) -> None:
    content = bytearray(file.read_bytes())
    start = len(content) // 2
    content[start : start + 400] = random.Random(0).randbytes(400)
    file.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "a bit": flip_a_bit,
    "400 bytes": overwrite_400_bytes,
    "cut": lambda file: file.write_bytes(file.read_bytes()[:-1]),
    "cut in half": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
    "empty": lambda file: file.write_bytes(b""),
    "garbage": lambda file: file.write_bytes(random.Random(0).randbytes(5000)),
    "a pickle": lambda file: file.write_bytes(pickle.dumps({"version": 1})),
    "another dictionary": lambda file: torch.save({"a": torch.zeros(3)}, file),
    "absent": lambda file: file.unlink(),
    "a directory": lambda file: (file.unlink(), file.mkdir()),
    "another dictionary, whole": lambda file: save_state({"a": torch.zeros(3)}, file),
    "another checkpoint's": lambda file: shutil.copy(str(file).replace(NEWEST, BEFORE), file),
}


@pytest.mark.parametrize("kind", ["model_state", "training_state"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_checkpoint_before_a_damaged_one_is_loaded(
    damage: str, kind: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = folder / f"{kind}_{NEWEST}.th"
    DAMAGE[damage](file)
    checkpointer = AtomicCheckpointer(folder)
    checkpoint = checkpointer.load_checkpoint()
    assert checkpoint is not None
    assert checkpoint.trainer_state["epochs_completed"] == 1
    assert checkpoint.trainer_state["batches_in_epoch_completed"] == 6
    before = torch.load(folder / f"model_state_{BEFORE}.th", weights_only=True)
    assert all(torch.equal(before[name], w) for name, w in checkpoint.model_state.items())
    [message] = [record.getMessage() for record in caplog.records]
    named = file if damage != "another checkpoint's" else folder / f"model_state_{NEWEST}.th"
    assert message.startswith(f"{named}: expected ")
    assert "\n" not in message
    # Said once.
    checkpointer.load_checkpoint()
    assert len(caplog.records) == 1


@pytest.mark.parametrize("damage", ["a bit", "empty", "another dictionary"])
def test_training_from_the_checkpoint_before_equals_uninterrupted_training(
    damage: str, folder: Path, finished: Path
) -> None:
    DAMAGE[damage](folder / f"model_state_{NEWEST}.th")
    train_model(params(), str(folder), recover=True)
    # Not best.th, which may be of the first epoch, before the interruption.
    last = f"model_state_{NEWEST}.th"
    first, second = (load_state(each / last) for each in (finished, folder))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert read_checksum(folder / last)


def test_damage_in_all_checkpoints_raises(folder: Path) -> None:
    for file in folder.glob("training_state_*.th"):
        flip_a_bit(file)
    before = {file.name: file.read_bytes() for file in folder.glob("*.th")}
    with pytest.raises(ConfigurationError, match=f"{folder}: expected an undamaged checkpoint"):
        train_model(params(), str(folder), recover=True)
    assert {file.name: file.read_bytes() for file in folder.glob("*.th")} == before


def test_incomplete_first_checkpoint_is_ignored(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for file in folder.glob("*_state_*.th"):
        if file.name != f"model_state_{BEFORE}.th":
            file.unlink()
    assert AtomicCheckpointer(folder).load_checkpoint() is None
    assert f"training_state_{BEFORE}.th: expected a checkpoint's file" in caplog.text


def test_incomplete_checkpoints_are_removed_with_older_ones(folder: Path) -> None:
    """A training run that is killed between two files leaves one."""
    for name in (f"model_state_{NEWEST}.th", f"training_state_{NEWEST}.th"):
        (folder / name).unlink()
    shutil.copy(folder / f"model_state_{BEFORE}.th", folder / "model_state_e0_b5.th")
    shutil.copy(folder / f"training_state_{BEFORE}.th", folder / "training_state_e0_b4.th")
    train_model(params(), str(folder), recover=True)
    found = {
        kind: {file.name.removeprefix(kind) for file in folder.glob(f"{kind}_e*.th")}
        for kind in ("model_state", "training_state")
    }
    # The two that are kept.
    assert found["model_state"] == found["training_state"]
    assert len(found["model_state"]) == 2


def test_old_checkpoints_are_removed_alone(tmp_path: Path) -> None:
    """Batch 1's file name is a prefix of batch 10's."""
    changes = {
        "data_loader.batches_per_epoch": 12,
        "trainer.num_epochs": 1,
        "trainer.checkpointer.save_every_num_batches": 1,
        "trainer.checkpointer.keep_most_recent_by_count": 11,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        train_model(params(**changes), str(tmp_path / "run"))
    kept = {*(f"e0_b{batch}" for batch in range(3, 13)), "e1_b0"}
    for state in ("model", "training"):
        found = (tmp_path / "run").glob(f"{state}_state_*.th")
        assert {file.stem.removeprefix(f"{state}_state_") for file in found} == kept


@pytest.mark.parametrize(
    "option, value",
    [
        ("save_every_num_batches", 0),
        ("save_every_num_seconds", -5.0),
        ("keep_most_recent_by_count", 0),
    ],
)
def test_limits_that_are_not_positive_raise(option: str, value: float, tmp_path: Path) -> None:
    checkpointer = Params({"type": "atomic", option: value})
    with pytest.raises(ConfigurationError, match=f"{option}: expected .*got {value}"):
        Checkpointer.from_params(checkpointer, serialization_dir=str(tmp_path))


def test_damage_in_the_weights_of_the_best_epoch(folder: Path) -> None:
    last = torch.load(folder / f"model_state_{NEWEST}.th", weights_only=True)
    best = torch.load(folder / "best.th", weights_only=True)
    assert any(not torch.equal(last[name], best[name]) for name in last)
    flip_a_bit(folder / "best.th")
    with pytest.raises(ConfigurationError, match=f"{folder / 'best.th'}: expected a checkpoint's"):
        train_model(params(), str(folder), recover=True)
    assert not (folder / "model.tar.gz").exists()


def test_damage_in_the_newest_and_best_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are one file with two names."""
    monkeypatch.chdir(ROOT)
    heldout, folder = {"validation_data_path": "fixtures/lm/heldout.txt"}, tmp_path / "run"
    train_model(params(**heldout), str(folder))
    whole = load_state(folder / "best.th")
    assert (folder / "best.th").samefile(folder / f"model_state_{NEWEST}.th")
    flip_a_bit(folder / "best.th")
    (folder / "metrics.json").unlink()
    train_model(params(**heldout), str(folder), recover=True)
    again = load_state(folder / "best.th")
    assert all(torch.equal(whole[name], again[name]) for name in whole)
