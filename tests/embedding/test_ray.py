"""Ray writes the same vectors."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.blocks import Block
from elmo_plugin.embedding.parts import PartStore
from tests.helpers.embedding import TEXT, embed

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_same_bytes_and_a_killed_worker(bilm_folder: str, tmp_path: Path) -> None:
    from elmo_plugin.embedding.engines.ray import Ray

    encoder = BlockEncoder(bilm_folder)
    text = TEXT * 500  # several blocks
    alone = embed(tmp_path / "alone", encoder, text=text).read_bytes()
    killed, others = [], _workers()

    def kill_a_worker(encoder: BlockEncoder, files: Sequence, store: PartStore) -> Iterator[Block]:
        for block in Ray(2)(encoder, files, store):
            if not killed:
                killed.append((_workers() - others).pop())
                os.kill(killed[0], signal.SIGKILL)
            yield block

    out = embed(tmp_path / "out", encoder, text=text, engine=kill_a_worker)
    assert killed and out.read_bytes() == alone


def test_address_without_a_cluster_raises() -> None:
    from elmo_plugin.embedding.engines.ray import _check_address

    for address in ("127.0.0.1:9", "ray://127.0.0.1:9", "nonsense"):
        with pytest.raises(ValueError, match=f"{address}: expected the address of a Ray cluster"):
            _check_address(address)


def _workers() -> set[int]:
    """Process ids of Ray Data's actors."""
    titles = {path.parent.name: path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")}
    return {int(pid) for pid, title in titles.items() if title.startswith(b"ray::MapWorker")}
