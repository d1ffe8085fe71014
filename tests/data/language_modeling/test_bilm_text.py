from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader
from allennlp.data.dataset_readers.dataset_reader import WorkerInfo

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from tests.helpers.distributed import run_in_group_of_two


@pytest.fixture
def text(tmp_path: Path) -> str:
    """Seven sentences in two files, a blank line between."""
    (tmp_path / "1.txt").write_text("s0 a\ns1\n\ns2\n")
    (tmp_path / "2.gz").write_bytes(gzip.compress(b"s3\n\ns4\ns5\ns6 b c\n"))
    return str(tmp_path / "[12].*")


def _reader() -> Any:
    return DatasetReader.from_params(Params({"type": "bilm_text"}))


def _read(reader: DatasetReader, text: str) -> list[str]:
    return [" ".join(instance["text"].sentence) for instance in reader.read(text)]


def test_a_sentence_an_instance(text: str) -> None:
    assert _read(_reader(), text) == ["s0 a", "s1", "s2", "s3", "s4", "s5", "s6 b c"]


def test_workers_read_each_sentence_once_together(text: str) -> None:
    parts = []
    for worker in range(3):
        reader = _reader()
        reader._set_worker_info(WorkerInfo(3, worker))
        parts.append(_read(reader, text))
    assert parts == [["s0 a", "s3", "s6 b c"], ["s1", "s4"], ["s2", "s5"]]


def test_processes_read_each_sentence_once_together(text: str, tmp_path: Path) -> None:
    def read(rank: int) -> None:
        (tmp_path / f"process{rank}.json").write_text(json.dumps(_read(_reader(), text)))

    run_in_group_of_two(read, tmp_path)
    parts = [json.loads((tmp_path / f"process{rank}.json").read_text()) for rank in range(2)]
    assert parts == [["s0 a", "s2", "s4", "s6 b c"], ["s1", "s3", "s5"]]


def test_as_many_as_asked_for(text: str) -> None:
    reader = DatasetReader.from_params(Params({"type": "bilm_text", "max_instances": 2}))
    assert _read(reader, text) == ["s0 a", "s1"]


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="absent: expected a text file"):
        list(_reader().read(str(tmp_path / "absent")))


@pytest.mark.parametrize("max_characters", [2, 10**9])
def test_characters_out_of_bounds(max_characters: int) -> None:
    with pytest.raises(ConfigurationError, match="max_characters: expected from 3 to 1000"):
        BilmTextReader(max_characters)
