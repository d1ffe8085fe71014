"""AllenNLP's data loaders and its cache of tensors, with today's Python and torch."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common.file_utils import TensorCache
from allennlp.data import Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader, multiprocess_data_loader
from allennlp.data.dataset_readers import SequenceTaggingDatasetReader
from torch.testing import assert_close


@pytest.mark.parametrize("options", [{}, {"max_instances_in_memory": 3}], ids=str)
def test_a_spawned_worker_reads_what_this_process_does(
    options: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads instances or, where not all are to be in memory, makes batches."""
    # The lock that one test puts there is not for the other.
    monkeypatch.setattr(multiprocess_data_loader, "mp", multiprocess_data_loader.mp)
    (tmp_path / "text").write_text("It###P is###V late###A\nOslo###N\nat###I last###A\n")
    reader = SequenceTaggingDatasetReader()
    vocabulary = Vocabulary.from_instances(reader.read(tmp_path / "text"))

    def batches(**more: Any) -> list[torch.Tensor]:
        loader: Any = MultiProcessDataLoader(reader, tmp_path / "text", batch_size=2, **more)
        loader.index_with(vocabulary)
        return [batch["tokens"]["tokens"]["tokens"] for batch in loader]

    found = batches(num_workers=1, start_method="spawn", **options)
    assert_close(found, batches())


def test_starting_workers_again_replaces_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multiprocess_data_loader, "mp", multiprocess_data_loader.mp)
    (tmp_path / "text").write_text("It###P is###V\n")
    reader = SequenceTaggingDatasetReader()
    loader: Any = MultiProcessDataLoader(
        reader, tmp_path / "text", batch_size=1, num_workers=1, max_instances_in_memory=1
    )
    loader.index_with(Vocabulary.from_instances(reader.read(tmp_path / "text")))
    for _ in range(3):
        list(loader)
    # What the copy of torch.multiprocessing lacks, it looks up there, not in an earlier copy.
    look_up: Any = vars(multiprocess_data_loader.mp)["__getattr__"]
    assert look_up.__closure__[0].cell_contents is torch.multiprocessing


def test_a_worker_shuffles_alike_with_one_seed(tmp_path: Path) -> None:
    """Instances are shuffled where they are read, if not all are to be in memory."""
    (tmp_path / "text").write_text("".join(f"{i}###N\n" for i in range(40)))
    reader = SequenceTaggingDatasetReader()
    vocabulary = Vocabulary.from_instances(reader.read(tmp_path / "text"))

    def order(seed: int) -> list[int]:
        random.seed(seed)
        options = {"num_workers": 1, "max_instances_in_memory": 20, "shuffle": True}
        loader: Any = MultiProcessDataLoader(reader, tmp_path / "text", batch_size=1, **options)
        loader.index_with(vocabulary)
        return [int(batch["tokens"]["tokens"]["tokens"]) for _ in range(2) for batch in loader]

    found = order(1)
    assert found == order(1) != order(2)
    assert found[:40] != found[40:]  # another order in each epoch


def test_a_tensor_cache_reads_back_what_it_wrote(tmp_path: Path) -> None:
    written = torch.randn(2, 3)
    TensorCache(tmp_path / "cache")["written"] = written
    # Opened again, as an open one also keeps its tensors in memory.
    assert torch.equal(TensorCache(tmp_path / "cache")["written"], written)
