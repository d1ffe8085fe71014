"""The data loader: epochs, seeds, resuming, and errors."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader, Vocabulary
from allennlp.data.dataset_readers import TextClassificationJsonReader

from elmo_plugin.data.language_modeling import shuffled_sentences
from elmo_plugin.data.language_modeling.stream_loader import BilmStreamLoader
from tests.helpers.distributed import run_in_group_of_two
from tests.helpers.text_streams import (
    BATCH_SIZE,
    UNROLL,
    are_equal,
    drawn_sentences,
    make_loader,
    read_words,
    write_sentences,
)


@pytest.fixture
def sentences(tmp_path: Path) -> list[list[str]]:
    return write_sentences(tmp_path)


def test_an_epoch_is_as_long_as_the_text(tmp_path: Path, sentences: list[list[str]]) -> None:
    predictions = sum(len(sentence) + 1 for sentence in sentences)
    loader = make_loader(tmp_path)
    assert len(list(loader)) == len(loader) == predictions // (BATCH_SIZE * UNROLL)


def test_full_windows_on_every_step(tmp_path: Path, sentences: list[list[str]]) -> None:
    for batch in make_loader(tmp_path, batches_per_epoch=50):
        assert (
            batch["text"]["inputs"].shape
            == batch["text"]["targets"].shape
            == (2, BATCH_SIZE, UNROLL)
        )
        assert int(batch["text"]["targets"].min()) >= 0


def test_the_next_epoch_goes_on_where_this_one_ended(
    tmp_path: Path, sentences: list[list[str]]
) -> None:
    in_parts, whole = (make_loader(tmp_path, batches_per_epoch=n) for n in (7, 21))
    assert len(in_parts) == 7
    parts = [batch for _ in range(3) for batch in in_parts]
    assert len(parts) == 21
    assert all(are_equal(*both) for both in zip(parts, whole))


def test_interrupted_epoch_continues(tmp_path: Path, sentences: list[list[str]]) -> None:
    broken, whole = make_loader(tmp_path), list(make_loader(tmp_path))
    assert are_equal(next(iter(broken)), whole[0])
    assert are_equal(next(iter(broken)), whole[1])


def test_the_seed_decides(tmp_path: Path, sentences: list[list[str]]) -> None:
    same = zip(make_loader(tmp_path, seed=1), make_loader(tmp_path, seed=1))
    assert all(are_equal(*both) for both in same)
    other = zip(make_loader(tmp_path, seed=1), make_loader(tmp_path, seed=2))
    for first, second in other:
        for direction in range(2):
            targets = (batch["text"]["targets"][direction] for batch in (first, second))
            assert not torch.equal(*targets)


def test_validation_reads_sentences(tmp_path: Path, sentences: list[list[str]]) -> None:
    instances = make_loader(tmp_path).iter_instances()
    assert [instance["text"].sentence for instance in instances] == sentences


def test_batches_are_on_the_target_device(tmp_path: Path, sentences: list[list[str]]) -> None:
    loader = make_loader(tmp_path)
    loader.set_target_device(torch.device("meta"))
    assert {t.device.type for t in next(iter(loader))["text"].values()} == {"meta"}


def test_text_for_one_window_is_enough(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("a b c\n" * 3)
    assert len(make_loader(tmp_path)) == 1
    (tmp_path / "1.txt").write_text("a b c\n" * 2 + "a b\n")
    message = "expected text for 3 streams of 4 words, found 3 sentences of 11 words"
    with pytest.raises(ConfigurationError, match=message):
        make_loader(tmp_path)


@pytest.mark.parametrize("name", ["batch_size", "unroll_steps", "batches_per_epoch"])
@pytest.mark.parametrize("value", [0, -1])
def test_sizes_below_one_raise(
    name: str, value: int, tmp_path: Path, sentences: list[list[str]]
) -> None:
    with pytest.raises(ConfigurationError, match=f"{name}: expected at least 1, got {value}"):
        make_loader(tmp_path, **{name: value})


def test_another_reader(tmp_path: Path, sentences: list[list[str]]) -> None:
    reader = TextClassificationJsonReader()
    with pytest.raises(ConfigurationError, match=r"bilm_text, got TextClassificationJsonReader"):
        BilmStreamLoader(reader, str(tmp_path / "1.txt"))


def test_built_by_configuration(tmp_path: Path, sentences: list[list[str]]) -> None:
    params = Params({"type": "bilm_streams", "batch_size": BATCH_SIZE, "unroll_steps": UNROLL})
    reader = DatasetReader.from_params(Params({"type": "bilm_text", "max_characters": 8}))
    path = str(tmp_path / "1.txt")
    loader = DataLoader.from_params(params, reader=reader, data_path=path)
    vocabulary = Vocabulary.from_params(Params({"type": "bilm_text", "path": path}))
    loader.index_with(vocabulary)
    assert next(iter(loader))["text"]["words"].size(1) == 8


@pytest.mark.parametrize("prefetch", [0, 3])
def test_two_processes_share_the_text(
    prefetch: int, tmp_path: Path, sentences: list[list[str]]
) -> None:
    predictions = sum(len(sentence) + 1 for sentence in sentences)

    def read(rank: int) -> None:
        loader = make_loader(tmp_path, prefetch=prefetch)
        assert len(loader) == predictions // (2 * BATCH_SIZE * UNROLL)
        torch.save([batch for _ in range(2) for batch in loader], tmp_path / f"rank{rank}.pt")

    run_in_group_of_two(read, tmp_path)
    both = [read_words(tmp_path, torch.load(tmp_path / f"rank{rank}.pt")) for rank in range(2)]
    for direction in range(2):
        # The halves that the processes take before any sentence comes again.
        halves = [drawn_sentences(batches, direction)[: len(sentences) // 2] for batches in both]
        assert sorted(itertools.chain(*halves)) == list(range(len(sentences)))


class TestGoingOn:
    @pytest.mark.parametrize("prefetch", [0, 3])
    @pytest.mark.parametrize("read", [0, 1, 17, 25])
    def test_where_another_loader_was(
        self, read: int, prefetch: int, tmp_path: Path, sentences: list[list[str]]
    ) -> None:
        options = {"batches_per_epoch": 10, "prefetch": prefetch}
        first, second = make_loader(tmp_path, **options), make_loader(tmp_path, **options)
        batches = (batch for _ in range(4) for batch in first)
        list(itertools.islice(batches, read))
        second.load_state_dict(json.loads(json.dumps(first.state_dict())))
        again = (batch for _ in range(4) for batch in second)
        assert list(itertools.islice(again, read)) == [{}] * read
        rest = list(zip(batches, again))
        assert len(rest) == 40 - read
        assert all(are_equal(*both) for both in rest)

    @pytest.mark.parametrize("read", [1, 9, 16])
    def test_sentences_of_many_batches(
        self, read: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Streams are in different shards and epochs.
        monkeypatch.setattr(shuffled_sentences, "_SHARD_SIZE", 3)
        lengths = [1, 90, 2, 3, 40, 1, 2, 200, 1, 1]
        lines = (" ".join([f"s{i}"] * length) for i, length in enumerate(lengths))
        (tmp_path / "1.txt").write_text("\n".join(lines))

        def stop_and_go_on(rank: int) -> None:
            options = {"batches_per_epoch": 20, "prefetch": 0}
            first, second = make_loader(tmp_path, **options), make_loader(tmp_path, **options)
            batches = iter(first)
            list(itertools.islice(batches, read))
            second.load_state_dict(json.loads(json.dumps(first.state_dict())))
            rest = list(zip(batches, itertools.islice(second, read, None)))
            assert len(rest) == 20 - read
            assert all(are_equal(*both) for both in rest)

        run_in_group_of_two(stop_and_go_on, tmp_path)

    def test_the_state_does_not_grow_with_the_sentences(self, tmp_path: Path) -> None:
        sizes = []
        for length in (10, 1000):
            (tmp_path / "1.txt").write_text(f"{'w ' * length}\n" * BATCH_SIZE)
            loader = make_loader(tmp_path, prefetch=0)
            next(iter(loader))
            sizes.append(len(json.dumps(loader.state_dict())))
        assert sizes[0] == sizes[1]

    def test_state_of_an_earlier_version_raises(
        self, tmp_path: Path, sentences: list[list[str]]
    ) -> None:
        loader = make_loader(tmp_path, prefetch=0)
        next(iter(loader))
        state = loader.state_dict()
        for direction in state["streams"].values():
            direction["remaining"] = [[["w"], ["w"]] for _ in direction.pop("streams")]
        with pytest.raises(ConfigurationError, match=r"version 0\.2\.0"):
            loader.load_state_dict(state)
