"""Order, memory and resuming of shuffled text."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError

from elmo_plugin.data.language_modeling import shuffled_sentences
from elmo_plugin.data.language_modeling.bilm_text import TextFile
from elmo_plugin.data.language_modeling.shuffled_sentences import ShuffledSentences


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


def test_in_the_middle_of_a_text_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
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
