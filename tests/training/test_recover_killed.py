"""`--recover` and `--force` of training runs that were killed or are finished."""

from __future__ import annotations

import json
import logging
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data import Vocabulary
from allennlp.models import load_archive
from allennlp.training.util import create_serialization_dir

from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary
from tests.helpers.interrupted_trainings import (
    FIXTURES,
    bilm,
    contents,
    files,
    interrupted,
    tagger,
    weights,
)

import_plugins()


def written(folder: Path) -> dict[str, int]:
    return {name: file.stat().st_mtime_ns for name, file in files(folder).items()}


@pytest.mark.parametrize("kind", ["bilm", "tagger"])
class TestFinished:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return tmp_path / "run"

    @pytest.fixture
    def params(self, kind: str, text: Path, folder: Path) -> Any:
        """Configuration of the finished training run."""

        def make() -> Params:
            return bilm(text) if kind == "bilm" else tagger(FIXTURES)

        train_model(make(), str(folder))
        return make

    def test_recovering_changes_nothing(
        self, params: Any, folder: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        before, times = contents(folder), written(folder)
        trained = weights(folder)
        caplog.set_level(logging.INFO)
        model = train_model(params(), str(folder), recover=True)
        assert contents(folder) == before
        assert written(folder) == times
        assert f"{folder}: this training is finished" in caplog.text
        assert all(torch.equal(trained[name], w) for name, w in model.state_dict().items())

    @pytest.mark.parametrize("left", ["nothing", "that of an interrupted training run"])
    def test_killed_while_archiving(self, left: str, params: Any, folder: Path) -> None:
        archive, metrics = folder / "model.tar.gz", (folder / "metrics.json").read_bytes()
        archive.unlink()
        if left != "nothing":
            archive.write_bytes(b"archived when the training was interrupted")
            long_ago = (folder / "config.json").stat().st_mtime_ns - 10**9
            os.utime(archive, ns=(long_ago, long_ago))
        train_model(params(), str(folder), recover=True)
        assert (folder / "metrics.json").read_bytes() == metrics
        found = load_archive(archive).model.state_dict()
        assert all(torch.equal(found[name], w) for name, w in weights(folder).items())

    @pytest.mark.parametrize("left", [None, '{"best_epoch": 1, "tra'])
    def test_killed_before_its_metrics_were_written(
        self, left: str | None, params: Any, folder: Path
    ) -> None:
        metrics = json.loads((folder / "metrics.json").read_text())
        trained = weights(folder)
        (folder / "model.tar.gz").unlink()
        (folder / "metrics.json").unlink()
        if left is not None:
            (folder / "metrics.json").write_text(left)
        train_model(params(), str(folder), recover=True)
        assert json.loads((folder / "metrics.json").read_text()) == metrics
        assert all(torch.equal(trained[name], w) for name, w in weights(folder).items())
        assert (folder / "model.tar.gz").exists()


def test_training_that_patience_ended_stays_ended(text: Path, tmp_path: Path) -> None:
    # Nothing is learned, so nothing gets better after the first epoch.
    options = {"trainer.optimizer": {"type": "sgd", "lr": 0.0}, "trainer.patience": 1}
    changes = {**options, "trainer.num_epochs": 4}
    train_model(bilm(text, **changes), str(tmp_path / "run"))
    before = (tmp_path / "run" / "metrics.json").read_bytes()
    assert not (tmp_path / "run" / "metrics_epoch_2.json").exists()
    (tmp_path / "run" / "metrics.json").unlink()
    train_model(bilm(text, **changes), str(tmp_path / "run"), recover=True)
    assert not (tmp_path / "run" / "metrics_epoch_2.json").exists()
    assert (tmp_path / "run" / "metrics.json").read_bytes() == before


def test_leftovers_are_removed(text: Path, tmp_path: Path) -> None:
    interrupted(bilm(text), tmp_path / "run")
    before = contents(tmp_path / "run").keys()
    written = (
        "model_state_e1_b0.th",
        "best.th",
        "model.tar.gz",
        "curve.jsonl",
        "mix_weights.jsonl",
    )
    for name in written:
        (tmp_path / "run" / f".{name}.0123456789abcdef.tmp").touch()
    (tmp_path / "run" / "vocabulary" / ".writing-12").mkdir()
    (tmp_path / "run" / "vocabulary" / ".writing-12" / "bilm.txt").touch()
    train_model(bilm(text), str(tmp_path / "run"), recover=True)
    found = contents(tmp_path / "run").keys()
    new = [Path(name) for name in found - before]
    assert not [name for name in new if any(part.startswith(".") for part in name.parts)]


@pytest.mark.parametrize("left", [[], [".config.json.0123456789abcdef.tmp"]])
def test_killed_before_writing_its_configuration(
    left: list[str], text: Path, tmp_path: Path
) -> None:
    (tmp_path / "run").mkdir()
    for name in left:
        (tmp_path / "run" / name).touch()
    train_model(bilm(text), str(tmp_path / "run"), recover=True)
    assert not [name for name in contents(tmp_path / "run") if name.startswith(".")]
    with pytest.raises(ConfigurationError, match="There is nothing to recover from"):
        train_model(bilm(text), str(tmp_path / "absent"), recover=True)


def test_killed_while_writing_its_vocabulary(text: Path, tmp_path: Path) -> None:
    """Distributed processes read the vocabulary from there."""
    params, folder = bilm(text, distributed={"cuda_devices": [-1, -1]}), tmp_path / "run"
    (folder / "vocabulary").mkdir(parents=True)
    params.to_file(str(folder / "config.json"))
    (folder / "vocabulary" / "non_padded_namespaces.txt").write_text("bilm\n")
    (folder / "vocabulary" / "bilm.txt").write_text("<S>\n</S>\n<UNK>\n")
    create_serialization_dir(params, folder, recover=True, force=False)
    vocabulary = Vocabulary.from_params(params.duplicate().pop("vocabulary"))
    found = BilmVocabulary.from_files(folder / "vocabulary")
    assert found.get_token_to_index_vocabulary("bilm") == dict(
        vocabulary.get_token_to_index_vocabulary("bilm")
    )


@pytest.mark.parametrize("kind", ["model_state", "training_state"])
@pytest.mark.parametrize("damage", ["a bit", "empty"])
def test_damaged_checkpoint_of_allennlps_checkpointer_raises(
    kind: str, damage: str, tmp_path: Path
) -> None:
    """It has no checksum but those of a zip file's entries."""
    interrupted(tagger(FIXTURES), tmp_path / "run")
    [file] = (tmp_path / "run").glob(f"{kind}_e*.th")
    content = bytearray(file.read_bytes())
    content[content.index(b"/data/0") + 100] ^= 1
    file.write_bytes(content if damage == "a bit" else b"")
    with pytest.raises(ConfigurationError, match=f"{file}: expected"):
        train_model(tagger(FIXTURES), str(tmp_path / "run"), recover=True)


def test_force_keeps_the_old_training_until_the_new_one_begins(text: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    train_model(bilm(text), str(folder))
    before = contents(folder)
    with pytest.raises(ValueError, match="learning rate"):
        train_model(bilm(text, **{"trainer.optimizer.lr": -1}), str(folder), force=True)
    assert contents(folder) == before
    train_model(bilm(text, **{"trainer.num_epochs": 1}), str(folder), force=True)
    assert not (folder / "metrics_epoch_1.json").exists()
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".run")] == []


def test_force_does_not_bring_back_an_older_training(text: Path, tmp_path: Path) -> None:
    """A killed `--force` leaves a directory, which is older than the training made since."""
    folder, left = tmp_path / "run", tmp_path / ".run.replaced"
    train_model(bilm(text), str(folder))
    before = contents(folder)
    left.mkdir()
    with pytest.raises(ValueError, match="learning rate"):
        train_model(bilm(text, **{"trainer.optimizer.lr": -1}), str(folder), force=True)
    assert contents(folder) == before


def test_force_keeps_the_new_training_if_the_old_one_cannot_be_removed(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulate files in use on a network file system, which cannot be removed."""
    folder = tmp_path / "run"
    train_model(bilm(text), str(folder))
    remove = shutil.rmtree
    monkeypatch.setattr(
        shutil, "rmtree", lambda path, *a, **k: ".replaced" in str(path) or remove(path, *a, **k)
    )
    train_model(bilm(text, **{"trainer.num_epochs": 1}), str(folder), force=True)
    assert (folder / "best.th").exists() and not (folder / "metrics_epoch_1.json").exists()


def test_a_dry_run_with_force_keeps_the_training(text: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    train_model(bilm(text), str(folder))
    before = contents(folder)
    train_model(bilm(text), str(folder), force=True, dry_run=True)
    assert contents(folder) == before
    assert {path.name for path in tmp_path.iterdir()} == {"run", "text"}


def test_force_refuses_a_directory_that_is_no_training(text: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "config.json").write_text('{"model": "mine"}')
    (folder / "notes.txt").write_text("not a training run")
    before = contents(folder)
    with pytest.raises(ConfigurationError, match=f"{folder}: expected a training run"):
        train_model(bilm(text), str(folder), force=True)
    assert contents(folder) == before


@pytest.mark.parametrize("inside", ["", "notes", "notes/today"])
def test_force_refuses_a_directory_that_contains_the_working_directory(
    inside: str, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    train_model(bilm(text), str(folder))
    (folder / inside).mkdir(parents=True, exist_ok=True)
    before = contents(folder)
    monkeypatch.chdir(folder / inside)
    with pytest.raises(ConfigurationError, match="contains it"):
        train_model(bilm(text), os.path.relpath(folder), force=True)
    assert contents(folder) == before


def test_force_trains_in_an_empty_directory(text: Path, tmp_path: Path) -> None:
    """A training run that was killed early leaves one, or the beginning of a configuration."""
    for folder in (tmp_path / "empty", tmp_path / "killed"):
        folder.mkdir()
    (tmp_path / "killed" / ".config.json.12.tmp").write_text('{"mod')
    for folder in (tmp_path / "empty", tmp_path / "killed"):
        train_model(bilm(text), str(folder), force=True)
        assert (folder / "model.tar.gz").exists()


def test_force_refuses_a_link_before_training(text: Path, tmp_path: Path) -> None:
    folder, link = tmp_path / "run", tmp_path / "link"
    train_model(bilm(text), str(folder))
    before = contents(folder)
    link.symlink_to(folder)
    with pytest.raises(OSError, match="symbolic link"):
        train_model(bilm(text), str(link), force=True)
    assert link.is_symlink() and contents(folder) == before
