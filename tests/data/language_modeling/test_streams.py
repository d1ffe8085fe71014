"""
The stream loader against bilm-tf's batcher, given the sentences in the order in which the loader
drew them, and that order against the text.
"""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader, Vocabulary
from allennlp.data.dataset_readers import TextClassificationJsonReader

from elmo_plugin.data.language_modeling import shuffled_sentences
from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader, TextFile
from elmo_plugin.data.language_modeling.shuffled_sentences import ShuffledSentences
from elmo_plugin.data.language_modeling.stream_loader import BilmStreamLoader
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE, BilmVocabulary

ROWS, UNROLL = 3, 4


@pytest.fixture
def sentences(tmp_path: Path) -> list[list[str]]:
    """Forty sentences of 1 to 9 words in two files; no word occurs twice."""
    sentences = [[f"s{i}w{j}" for j in range(i * 7 % 9 + 1)] for i in range(40)]
    lines = [" ".join(sentence) + "\n" for sentence in sentences]
    (tmp_path / "1.txt").write_text("\n".join(lines[:25]))
    (tmp_path / "2.gz").write_bytes(gzip.compress("".join(lines[25:]).encode()))
    return sentences


def _loader(directory: Path, **options: Any) -> BilmStreamLoader:
    path = str(directory / "[12].*")
    options = {"batch_size": ROWS, "unroll_steps": UNROLL, **options}
    loader = BilmStreamLoader(BilmTextReader(), path, **options)
    loader.index_with(BilmVocabulary.from_text(path))
    return loader


class Read(NamedTuple):
    """Words of a batch, shape (2, rows, steps)."""

    inputs: numpy.ndarray
    targets: numpy.ndarray


def _words(directory: Path, batches: list[Any]) -> list[Read]:
    names = BilmVocabulary.from_text(str(directory / "[12].*"))
    target_words = names.get_index_to_token_vocabulary(NAMESPACE)

    def word(characters: torch.Tensor) -> str:
        if 257 <= characters[1] <= 258:
            return "<S>" if characters[1] == 257 else "</S>"
        return bytes(c - 1 for c in characters[1:].tolist() if c <= 256).decode()

    read = []
    for batch in batches:
        text = batch["text"]
        input_words = numpy.array([word(characters) for characters in text["words"]])
        targets = numpy.vectorize(target_words.get)(text["targets"])
        read.append(Read(input_words[text["inputs"]], targets))
    return read


def _bilm_tf_batches(
    sentences: Iterator[list[str]], batch_size: int, num_steps: int
) -> Iterator[tuple[numpy.ndarray, numpy.ndarray]]:
    """`_get_batch` of bilm-tf's data.py for one direction, without what concerns characters."""
    cur_stream: list[Any] = [None] * batch_size
    while True:
        inputs = numpy.full([batch_size, num_steps], "", dtype=object)
        targets = numpy.full([batch_size, num_steps], "", dtype=object)
        for i in range(batch_size):
            cur_pos = 0
            while cur_pos < num_steps:
                if cur_stream[i] is None or len(cur_stream[i]) <= 1:
                    cur_stream[i] = next(sentences)
                how_many = min(len(cur_stream[i]) - 1, num_steps - cur_pos)
                next_pos = cur_pos + how_many
                inputs[i, cur_pos:next_pos] = cur_stream[i][:how_many]
                targets[i, cur_pos:next_pos] = cur_stream[i][1 : how_many + 1]
                cur_pos = next_pos
                cur_stream[i] = cur_stream[i][how_many:]
        yield inputs, targets


def _drawn(batches: list[Read], direction: int) -> list[int]:
    """The numbers of the sentences in the order in which rows took them."""
    begin = ("<S>", "</S>")[direction]
    order = []
    for batch in batches:
        starts = batch.inputs[direction] == begin
        first_words = batch.targets[direction][starts]
        order += [int(word[1 : word.index("w")]) for word in first_words]
    return order


def test_batches_as_in_bilm_tf(tmp_path: Path, sentences: list[list[str]]) -> None:
    loader = _loader(tmp_path)
    batches = _words(tmp_path, [batch for _ in range(3) for batch in loader])
    for direction, encode in enumerate(
        [
            lambda words: ["<S>", *words, "</S>"],
            lambda words: ["</S>", *reversed(words), "<S>"],
        ]
    ):
        drawn = (encode(sentences[i]) for i in _drawn(batches, direction))
        expected = _bilm_tf_batches(drawn, ROWS, UNROLL)
        for batch, (inputs, targets) in zip(batches, expected):
            assert batch.inputs[direction].tolist() == inputs.tolist()
            assert batch.targets[direction].tolist() == targets.tolist()


def test_every_sentence_once_before_any_comes_again(
    tmp_path: Path, sentences: list[list[str]]
) -> None:
    loader = _loader(tmp_path)
    batches = _words(tmp_path, [batch for _ in range(4) for batch in loader])
    whole = list(range(len(sentences)))
    passes = []
    for direction in range(2):
        order = _drawn(batches, direction)
        passes += [order[start : start + len(whole)] for start in (0, len(whole), 2 * len(whole))]
    for one in passes:
        assert sorted(one) == whole
    # Each pass and each direction in an order of its own.
    assert len({tuple(one) for one in [*passes, whole]}) == 7


def test_an_epoch_is_as_long_as_the_text(tmp_path: Path, sentences: list[list[str]]) -> None:
    predictions = sum(len(sentence) + 1 for sentence in sentences)
    loader = _loader(tmp_path)
    assert len(list(loader)) == len(loader) == predictions // (ROWS * UNROLL)


def test_full_windows_on_every_step(tmp_path: Path, sentences: list[list[str]]) -> None:
    for batch in _loader(tmp_path, batches_per_epoch=50):
        assert batch["text"]["inputs"].shape == batch["text"]["targets"].shape == (2, ROWS, UNROLL)
        assert int(batch["text"]["targets"].min()) >= 0


def _equal(first: Any, second: Any) -> bool:
    return all(torch.equal(first["text"][name], second["text"][name]) for name in first["text"])


def test_the_next_epoch_goes_on_where_this_one_ended(
    tmp_path: Path, sentences: list[list[str]]
) -> None:
    in_parts, whole = (_loader(tmp_path, batches_per_epoch=n) for n in (7, 21))
    assert len(in_parts) == 7
    parts = [batch for _ in range(3) for batch in in_parts]
    assert len(parts) == 21
    assert all(_equal(*both) for both in zip(parts, whole))


def test_an_epoch_broken_off_goes_on_there(tmp_path: Path, sentences: list[list[str]]) -> None:
    broken, whole = _loader(tmp_path), list(_loader(tmp_path))
    assert _equal(next(iter(broken)), whole[0])
    assert _equal(next(iter(broken)), whole[1])


def test_the_seed_decides(tmp_path: Path, sentences: list[list[str]]) -> None:
    same = zip(_loader(tmp_path, seed=1), _loader(tmp_path, seed=1))
    assert all(_equal(*both) for both in same)
    other = zip(_loader(tmp_path, seed=1), _loader(tmp_path, seed=2))
    for first, second in other:
        for direction in range(2):
            targets = (batch["text"]["targets"][direction] for batch in (first, second))
            assert not torch.equal(*targets)


def test_validation_reads_sentences(tmp_path: Path, sentences: list[list[str]]) -> None:
    instances = _loader(tmp_path).iter_instances()
    assert [instance["text"].sentence for instance in instances] == sentences


def test_goes_where_the_model_is(tmp_path: Path, sentences: list[list[str]]) -> None:
    loader = _loader(tmp_path)
    loader.set_target_device(torch.device("meta"))
    assert {t.device.type for t in next(iter(loader))["text"].values()} == {"meta"}


def test_text_for_one_window_is_enough(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("a b c\n" * 3)
    assert len(_loader(tmp_path)) == 1
    (tmp_path / "1.txt").write_text("a b c\n" * 2 + "a b\n")
    message = "expected text for 3 streams of 4 words, found 3 sentences of 11 words"
    with pytest.raises(ConfigurationError, match=message):
        _loader(tmp_path)


@pytest.mark.parametrize("name", ["batch_size", "unroll_steps", "batches_per_epoch"])
@pytest.mark.parametrize("value", [0, -1])
def test_sizes_that_are_none(
    name: str, value: int, tmp_path: Path, sentences: list[list[str]]
) -> None:
    with pytest.raises(ConfigurationError, match=f"{name}: expected at least 1, got {value}"):
        _loader(tmp_path, **{name: value})


def test_another_reader(tmp_path: Path, sentences: list[list[str]]) -> None:
    reader = TextClassificationJsonReader()
    with pytest.raises(ConfigurationError, match=r"bilm_text, got TextClassificationJsonReader"):
        BilmStreamLoader(reader, str(tmp_path / "1.txt"))


def test_built_by_configuration(tmp_path: Path, sentences: list[list[str]]) -> None:
    params = Params({"type": "bilm_streams", "batch_size": ROWS, "unroll_steps": UNROLL})
    reader = DatasetReader.from_params(Params({"type": "bilm_text", "max_characters": 8}))
    path = str(tmp_path / "1.txt")
    loader = DataLoader.from_params(params, reader=reader, data_path=path)
    vocabulary = Vocabulary.from_params(Params({"type": "bilm_text", "path": path}))
    loader.index_with(vocabulary)
    assert next(iter(loader))["text"]["words"].size(1) == 8


class TestShuffling:
    @pytest.fixture(autouse=True)
    def ten_sentences_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shuffled_sentences, "_SHARD_SIZE", 10)

    def test_a_part_is_in_memory_and_no_more(self, tmp_path: Path) -> None:
        # Had line 56 been read before its turn, it would have been complained of.
        lines = [b"%d\n" % i for i in range(100)]
        lines[55] = b"\xff\n"
        (tmp_path / "text").write_bytes(b"".join(lines))
        sentences = ShuffledSentences([TextFile(str(tmp_path / "text"))], "seed")
        for start in range(0, 50, 10):
            part = [int(line) for line in itertools.islice(sentences, 10)]
            assert part != sorted(part)
            assert sorted(part) == list(range(start, start + 10))
        with pytest.raises(ConfigurationError, match="line 56"):
            next(sentences)

    def test_shards_in_another_order_each_time(self) -> None:
        sentences = ShuffledSentences([[str(i)] * 10 for i in range(12)], "seed")
        passes = [list(itertools.islice(sentences, 120)) for _ in range(2)]
        orders = [one[::10] for one in passes]
        for one, order in zip(passes, orders):
            assert one == [name for name in order for _ in range(10)]
            assert sorted(order) == sorted(map(str, range(12)))
        assert orders[0] != orders[1]


class TestGoingOn:
    @pytest.mark.parametrize("prefetch", [0, 3])
    @pytest.mark.parametrize("read", [0, 1, 17, 25])
    def test_where_another_loader_was(
        self, read: int, prefetch: int, tmp_path: Path, sentences: list[list[str]]
    ) -> None:
        options = {"batches_per_epoch": 10, "prefetch": prefetch}
        first, second = _loader(tmp_path, **options), _loader(tmp_path, **options)
        batches = (batch for _ in range(4) for batch in first)
        list(itertools.islice(batches, read))
        second.load_state_dict(json.loads(json.dumps(first.state_dict())))
        again = (batch for _ in range(4) for batch in second)
        assert list(itertools.islice(again, read)) == [{}] * read
        rest = list(zip(batches, again))
        assert len(rest) == 40 - read
        assert all(_equal(*both) for both in rest)

    def test_in_the_middle_of_a_text_in_parts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shuffled_sentences, "_SHARD_SIZE", 7)
        shards = [[str(i) for i in range(40)]]
        one = ShuffledSentences(shards, "seed")
        for _ in range(100):
            assert next(ShuffledSentences(shards, "seed", one.position)) == next(one)


def test_processes_share_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffled_sentences, "_SHARD_SIZE", 7)
    shards = [[str(i) for i in range(40)]]
    shares = [
        {next(each) for _ in range(count)}
        for each, count in (
            # Of each part of 7 lines the processes take 3, 2 and 2; of the last of 5, 2, 2 and 1.
            (ShuffledSentences(shards, "seed", rank=rank, world_size=3), (17, 12, 11)[rank])
            for rank in range(3)
        )
    ]
    assert sorted(map(int, itertools.chain(*shares))) == list(range(40))


class TestReader:
    """The loader reads as its reader is configured to."""

    @pytest.mark.parametrize("count", [3, 17, 25, 26, 40, 100])
    def test_reads_as_many_sentences_as_it_gives(
        self, count: int, tmp_path: Path, sentences: list[list[str]]
    ) -> None:
        reader = BilmTextReader(max_instances=count)
        path = str(tmp_path / "[12].*")
        loader = BilmStreamLoader(reader, path, ROWS, unroll_steps=1, prefetch=0)
        loader.index_with(BilmVocabulary.from_text(path))
        drawn = _drawn(_words(tmp_path, [batch for _ in range(3) for batch in loader]), 0)
        assert set(drawn) == set(range(min(count, len(sentences))))
        assert [each["text"].sentence for each in reader.read(path)] == sentences[:count]

    def test_splits_words(self, tmp_path: Path) -> None:
        class Reader(BilmTextReader):
            def tokenize(self, line: str) -> list[str]:
                return line.lower().split("_")

        (tmp_path / "1.txt").write_text("A_B\n" * 6)
        (tmp_path / "vocabulary").write_text("a b\n")
        loader = BilmStreamLoader(
            Reader(), str(tmp_path / "1.txt"), ROWS, unroll_steps=3, prefetch=0
        )
        loader.index_with(BilmVocabulary.from_text(str(tmp_path / "vocabulary")))
        assert next(iter(loader))["text"]["targets"][0].tolist() == [[3, 4, 1]] * ROWS
        assert [i["text"].sentence for i in loader.iter_instances()] == [["a", "b"]] * 6

    def test_gives_none(self, tmp_path: Path, sentences: list[list[str]]) -> None:
        path = str(tmp_path / "[12].*")
        with pytest.raises(ConfigurationError, match="found 0 sentences"):
            BilmStreamLoader(BilmTextReader(max_instances=0), path)
        with pytest.raises(ConfigurationError, match="max_instances should be a positive int"):
            BilmTextReader(max_instances=-1)


class TestTextThatIsNotScanned:
    @pytest.mark.parametrize("prefetch", [0, 3])
    def test_an_error_is_found_where_it_is(self, prefetch: int, tmp_path: Path) -> None:
        (tmp_path / "1.txt").write_bytes(b"a b c\n" * 50 + b"\xff\n")
        (tmp_path / "vocabulary").write_text("a b c\n")
        path = str(tmp_path / "1.txt")
        with pytest.raises(ConfigurationError, match="line 51"):
            BilmStreamLoader(BilmTextReader(), path, ROWS, UNROLL)
        loader = BilmStreamLoader(
            BilmTextReader(), path, ROWS, UNROLL, batches_per_epoch=9, prefetch=prefetch
        )
        loader.index_with(BilmVocabulary.from_text(str(tmp_path / "vocabulary")))
        with pytest.raises(ConfigurationError, match=f"^{path}, near line 51: [^\n]*$"):
            list(loader)

    def test_is_enough_for_a_batch(self, tmp_path: Path) -> None:
        for lines, enough in (("a b c\n" * 3, True), ("a b c\n" * 2 + "a b\n", False)):
            (tmp_path / "1.txt").write_text(lines)
            if enough:
                assert len(_loader(tmp_path, batches_per_epoch=100)) == 100
            else:
                with pytest.raises(ConfigurationError, match="expected text for 3 streams"):
                    _loader(tmp_path, batches_per_epoch=100)


def test_fewer_sentences_than_streams(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("a b c d e f g h i j k l m\n" * 2)
    with pytest.raises(ConfigurationError, match="for 3 streams of 4 words, found 2 sentences"):
        _loader(tmp_path)
