"""The text that the data loader reads, and how much of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.stream_loader import BilmStreamLoader
from elmo_plugin.data.language_modeling.vocabulary import BilmVocabulary
from tests.helpers.text_streams import (
    BATCH_SIZE,
    UNROLL,
    drawn_sentences,
    make_loader,
    read_words,
    write_sentences,
)


@pytest.fixture
def sentences(tmp_path: Path) -> list[list[str]]:
    return write_sentences(tmp_path)


class TestReader:
    """The loader reads as its reader is configured to."""

    @pytest.mark.parametrize("count", [3, 17, 25, 26, 40, 100])
    def test_reads_as_many_sentences_as_it_gives(
        self, count: int, tmp_path: Path, sentences: list[list[str]]
    ) -> None:
        reader = BilmTextReader(max_instances=count)
        path = str(tmp_path / "[12].*")
        loader = BilmStreamLoader(reader, path, BATCH_SIZE, unroll_steps=1, prefetch=0)
        loader.index_with(BilmVocabulary.from_text(path))
        drawn = drawn_sentences(
            read_words(tmp_path, [batch for _ in range(3) for batch in loader]), 0
        )
        assert set(drawn) == set(range(min(count, len(sentences))))
        assert [each["text"].sentence for each in reader.read(path)] == sentences[:count]

    def test_tokenizer_of_the_reader_splits_words(self, tmp_path: Path) -> None:
        class Reader(BilmTextReader):
            def tokenize(self, line: str) -> list[str]:
                return line.lower().split("_")

        (tmp_path / "1.txt").write_text("A_B\n" * 6)
        (tmp_path / "vocabulary").write_text("a b\n")
        loader = BilmStreamLoader(
            Reader(), str(tmp_path / "1.txt"), BATCH_SIZE, unroll_steps=3, prefetch=0
        )
        loader.index_with(BilmVocabulary.from_text(str(tmp_path / "vocabulary")))
        assert next(iter(loader))["text"]["targets"][0].tolist() == [[3, 4, 1]] * BATCH_SIZE
        assert [i["text"].sentence for i in loader.iter_instances()] == [["a", "b"]] * 6

    def test_max_instances_below_one_raises(
        self, tmp_path: Path, sentences: list[list[str]]
    ) -> None:
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
            BilmStreamLoader(BilmTextReader(), path, BATCH_SIZE, UNROLL)
        loader = BilmStreamLoader(
            BilmTextReader(), path, BATCH_SIZE, UNROLL, batches_per_epoch=9, prefetch=prefetch
        )
        loader.index_with(BilmVocabulary.from_text(str(tmp_path / "vocabulary")))
        with pytest.raises(ConfigurationError, match=f"^{path}, near line 51: [^\n]*$"):
            list(loader)

    def test_is_enough_for_a_batch(self, tmp_path: Path) -> None:
        for lines, enough in (("a b c\n" * 3, True), ("a b c\n" * 2 + "a b\n", False)):
            (tmp_path / "1.txt").write_text(lines)
            if enough:
                assert len(make_loader(tmp_path, batches_per_epoch=100)) == 100
            else:
                with pytest.raises(ConfigurationError, match="expected text for 3 streams"):
                    make_loader(tmp_path, batches_per_epoch=100)


def test_fewer_sentences_than_streams(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("a b c d e f g h i j k l m\n" * 2)
    with pytest.raises(ConfigurationError, match="for 3 streams of 4 words, found 2 sentences"):
        make_loader(tmp_path)
