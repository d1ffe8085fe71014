"""A random subsample of another reader's instances."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.data.dataset_readers.dataset_reader import DistributedInfo
from allennlp.data.fields import MetadataField

from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.subsample import SubsampleReader

SENTENCES = [f"word{i}###N" for i in range(40)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tagged.txt"
    path.write_text("\n".join(SENTENCES) + "\n")
    return path


def read(file: Path, fraction: float, seed: int = 0, **more: Any) -> list[str]:
    inner = {"type": "sequence_tagging", "word_tag_delimiter": "###"}
    params = Params(
        {"type": "subsample", "reader": inner, "fraction": fraction, "seed": seed, **more}
    )
    return [str(i["tokens"].tokens[0]) for i in DatasetReader.from_params(params).read(file)]


def test_order_stays_and_nothing_comes_twice(file: Path) -> None:
    everything = [line.split("###")[0] for line in SENTENCES]
    found = read(file, 0.3)
    assert len(found) == 12
    assert found == [word for word in everything if word in set(found)]
    assert read(file, 1) == everything


def test_larger_subsample_contains_the_smaller(file: Path) -> None:
    subsamples = [set(read(file, share, seed=3)) for share in (0.05, 0.3, 0.9)]
    assert subsamples[0] < subsamples[1] < subsamples[2]


def test_the_seed_decides(file: Path) -> None:
    assert read(file, 0.3, seed=1) == read(file, 0.3, seed=1) != read(file, 0.3, seed=2)


def test_smallest_fraction_keeps_one_instance(file: Path) -> None:
    assert len(read(file, 1e-6)) == 1


@pytest.mark.parametrize("fraction", [0, -0.1, 1.1])
def test_invalid_fraction(fraction: float) -> None:
    with pytest.raises(ConfigurationError, match=f"fraction: expected .* got {fraction}"):
        SubsampleReader(DatasetReader.by_name("sequence_tagging")(), fraction)


class Lines(DatasetReader):
    """Read lines, without sharding of its own."""

    def _read(self, file_path: Any) -> Iterator[Instance]:
        for line in Path(file_path).read_text().splitlines():
            yield Instance({"line": MetadataField(line)})


def test_text_to_instance_accepts_keywords() -> None:
    """Call the reader as AllenNLP's language-model predictors do."""
    reader = SubsampleReader(BilmTextReader(), fraction=0.5)
    instance = reader.text_to_instance(sentence=["a", "b"])
    assert instance.fields.keys() == reader.text_to_instance(["a", "b"]).fields.keys()


def test_processes_share_the_instances(file: Path) -> None:
    """Distributed training shards the data once."""
    parts = []
    for rank in range(2):
        inner = Lines()
        reader = SubsampleReader(inner, fraction=1.0)
        for one in (inner, reader):
            one._set_distributed_info(DistributedInfo(2, rank))
        parts.append([instance["line"].metadata for instance in reader.read(file)])
    assert sorted(parts[0] + parts[1]) == sorted(SENTENCES)
    assert len(parts[0]) == len(parts[1])


def test_workers_of_a_data_loader_read_the_same(file: Path) -> None:
    found = []
    for workers in (0, 2):
        reader = DatasetReader.from_params(
            Params(
                {
                    "type": "subsample",
                    "reader": {"type": "sequence_tagging", "word_tag_delimiter": "###"},
                    "fraction": 0.5,
                }
            )
        )
        loader = MultiProcessDataLoader(reader, file, batch_size=8, num_workers=workers)
        found.append(sorted(str(one["tokens"].tokens[0]) for one in loader.iter_instances()))
    assert found[0] == found[1] and len(found[0]) == len(SENTENCES) // 2


@pytest.mark.parametrize(("fraction", "number"), [(0.07, 7), (0.14, 14), (0.55, 55), (0.001, 1)])
def test_number_of_instances(fraction: float, number: int, tmp_path: Path) -> None:
    """The product as a decimal, rounded up: as a float, 0.07 * 100 is more than 7."""
    (tmp_path / "tagged.txt").write_text("a###N\n" * 100)
    assert len(read(tmp_path / "tagged.txt", fraction)) == number
