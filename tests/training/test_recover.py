"""`--recover` of a training run whose text or vocabulary has changed."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
import time
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins

from tests.helpers.interrupted_trainings import (
    FIXTURES,
    bilm,
    contents,
    interrupted,
    last_weights,
    tagger,
)

import_plugins()


def reverse_lines(file: Path) -> None:
    file.write_text("".join(file.read_text().splitlines(keepends=True)[::-1]))


CHANGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "added": (lambda text: (text / "c.txt").write_text("one more\n"), "c.txt was added"),
    "removed": (lambda text: (text / "b.txt").unlink(), "b.txt was removed"),
    "renamed": (lambda text: (text / "b.txt").rename(text / "c.txt"), "b.txt was renamed to .*c"),
    "reversed": (lambda text: reverse_lines(text / "a.txt"), "a.txt has other contents"),
}


class TestChangedText:
    @pytest.mark.parametrize("change", CHANGES)
    def test_raises_and_writes_nothing(self, change: str, text: Path, tmp_path: Path) -> None:
        folder = tmp_path / "run"
        interrupted(bilm(text), folder)
        before = contents(folder)
        make, message = CHANGES[change]
        make(text)
        with pytest.raises(ConfigurationError, match=message) as error:
            train_model(bilm(text), str(folder), recover=True)
        assert "\n" not in str(error.value)
        assert contents(folder) == before

    def test_restored_text_is_resumed(self, text: Path, tmp_path: Path) -> None:
        train_model(bilm(text), str(tmp_path / "whole"))
        interrupted(bilm(text), tmp_path / "run")
        (text / "b.txt").rename(text / "c.txt")
        with pytest.raises(ConfigurationError):
            train_model(bilm(text), str(tmp_path / "run"), recover=True)
        (text / "c.txt").rename(text / "b.txt")
        train_model(bilm(text), str(tmp_path / "run"), recover=True)
        first, second = last_weights(tmp_path / "whole"), last_weights(tmp_path / "run")
        assert all(torch.equal(first[name], second[name]) for name in first)

    def test_before_the_first_checkpoint_the_new_text_is_used(
        self, text: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "run"
        interrupted(bilm(text), folder)
        for state in folder.glob("*_state_*.th"):
            state.unlink()
        (text / "a.txt").write_text("entirely other words\n" * 40)
        train_model(bilm(text), str(folder), recover=True)
        assert "entirely" in (folder / "vocabulary" / "bilm.txt").read_text().split()

    def test_a_changed_vocabulary(self, text: Path, tmp_path: Path) -> None:
        interrupted(bilm(text), tmp_path / "run")
        file = tmp_path / "run" / "vocabulary" / "bilm.txt"
        *words, last = file.read_text().splitlines()
        file.write_text("\n".join([*words[:-1], last, words[-1]]) + "\n")
        with pytest.raises(ConfigurationError, match="vocabulary: expected the words that"):
            train_model(bilm(text), str(tmp_path / "run"), recover=True)


def words(folder: Path) -> dict[str, bytes]:
    """Words by namespace. The order of non-padded namespaces varies."""
    found = contents(folder / "vocabulary")
    return {name: words for name, words in found.items() if name != "non_padded_namespaces.txt"}


def test_recovering_uses_the_saved_vocabulary(tmp_path: Path) -> None:
    data = Path(shutil.copytree(FIXTURES, tmp_path / "data"))
    interrupted(tagger(data), tmp_path / "run")
    before = words(tmp_path / "run")
    train = data / "train.conll"
    # As many words, but in another order of their counts.
    train.write_text(train.read_text().replace("Oslo", "Aaaa").replace("Mara", "Zzzz"))
    model = train_model(tagger(data), str(tmp_path / "run"), recover=True)
    assert words(tmp_path / "run") == before
    assert model.vocab.get_token_index("Zzzz") == model.vocab.get_token_index("@@UNKNOWN@@")


def test_the_working_directory_may_be_the_serialization_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    train_model(tagger(FIXTURES), ".")
    assert (tmp_path / "model.tar.gz").exists()
    with pytest.raises(ConfigurationError, match="found the working directory"):
        train_model(tagger(FIXTURES), ".", force=True)
    assert (tmp_path / "model.tar.gz").exists()


def sleep(started: Event) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    started.set()
    time.sleep(600)


def test_an_interrupt_leaves_other_processes_alone(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    started = context.Event()
    other = context.Process(target=sleep, args=(started,))
    other.start()
    assert started.wait(60)
    interrupted(tagger(FIXTURES), tmp_path / "run")
    other.join(1)
    assert other.is_alive()
    other.kill()
    other.join()
