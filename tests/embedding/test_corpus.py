"""A run can be interrupted anywhere, resumes, and leaves nothing that looks whole."""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import resource
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_plugin.data.sentence import Sentence
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.blocks import Block, iter_blocks
from elmo_plugin.embedding.corpus import embed_corpus, encode_here
from elmo_plugin.embedding.engines.processes import Processes
from elmo_plugin.embedding.parts import PartStore
from elmo_plugin.layers import batch_to_ids
from tests.helpers.embedding import TEXT, embed
from tests.helpers.random_bilm import random_bilm, save

pytestmark = pytest.mark.usefixtures("small_blocks")

NUM_BLOCKS = 12


@pytest.fixture
def few_open_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + 100, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _interrupted_after(number: int):  # type: ignore[no-untyped-def]
    def engine(encoder: BlockEncoder, files: Sequence, store: PartStore) -> Iterator[Block]:
        for done, block in enumerate(encode_here(encoder, files, store)):
            if done == number:
                raise KeyboardInterrupt
            yield block

    return engine


@given(st.lists(st.lists(st.text(min_size=1), max_size=30), max_size=20))
def test_blocks_hold_the_text(text: list[list[str]]) -> None:
    sentences = list(map(Sentence, text))
    blocks = list(iter_blocks([sentences, sentences]))
    assert [s for block in blocks for s in block.sentences] == sentences * 2
    names = [block.name for block in blocks]
    assert names == sorted(set(names))
    for block in blocks:
        assert block.sentences == sentences[block.start : block.start + len(block.sentences)]


@pytest.mark.parametrize("number", [0, 1, 5])
def test_resumed_run_writes_the_same_bytes(number: int, bilm_folder: str, tmp_path: Path) -> None:
    encoder = BlockEncoder(bilm_folder)
    whole = embed(tmp_path / "whole", encoder).read_bytes()
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", encoder, engine=_interrupted_after(number))
    assert {path.name for path in tmp_path.iterdir()} == {"whole", "out.partial"}
    assert embed(tmp_path / "out", encoder).read_bytes() == whole
    assert {path.name for path in tmp_path.iterdir()} == {"whole", "out"}


def test_only_unfinished_blocks_are_encoded_again(bilm_folder: str, tmp_path: Path) -> None:
    encoder = BlockEncoder(bilm_folder)
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", encoder, engine=_interrupted_after(3))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("out.partial/*.part")}
    assert len(before) == 4
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", encoder, engine=_interrupted_after(6))
    after = {path: path.stat().st_mtime_ns for path in tmp_path.glob("out.partial/*.part")}
    assert len(after) == 7 and before.items() <= after.items()


@settings(max_examples=10, deadline=None)
@given(position=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_damaged_parts_are_encoded_again(
    position: float, bit: int, bilm_folder: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("damage")
    encoder = BlockEncoder(bilm_folder, "average")
    whole = embed(folder / "whole", encoder).read_bytes()
    with pytest.raises(KeyboardInterrupt):
        embed(folder / "out", encoder, engine=_interrupted_after(2))
    part = sorted(folder.glob("out.partial/*.part"))[1]
    content = bytearray(part.read_bytes())
    content[int(position * len(content))] ^= 1 << bit
    part.write_bytes(content)
    assert embed(folder / "out", encoder).read_bytes() == whole
    shutil.rmtree(folder)


def test_changed_text_raises(bilm_folder: str, tmp_path: Path) -> None:
    encoder = BlockEncoder(bilm_folder)
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", encoder, engine=_interrupted_after(2))
    with pytest.raises(ValueError, match="expected the text that the interrupted run read"):
        embed(tmp_path / "out", encoder, text=[["Another"], *TEXT[1:]])


def test_changed_options_raise(bilm_folder: str, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", BlockEncoder(bilm_folder), engine=_interrupted_after(2))
    expected = "expected the options of the interrupted run, layers 'all', got layers 'average'"
    with pytest.raises(ValueError, match=expected):
        embed(tmp_path / "out", BlockEncoder(bilm_folder, "average"))


def test_another_format_resumes(bilm_folder: str, tmp_path: Path) -> None:
    encoder, text = BlockEncoder(bilm_folder), [*TEXT, ["New York"]]
    with pytest.raises(ValueError, match="expected tokens without white space"):
        embed(tmp_path / "out", encoder, "allennlp", text=text)
    assert (tmp_path / "out.partial").exists()
    embed(tmp_path / "out", encoder, text=text)
    embed(tmp_path / "whole", encoder, text=text)
    assert (tmp_path / "out").read_bytes() == (tmp_path / "whole").read_bytes()


def test_changed_configuration_raises(bilm_folder: str, tmp_path: Path) -> None:
    """The same weights compute other vectors with another clip."""
    folder = tmp_path / "bilm"
    shutil.copytree(bilm_folder, folder)
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", BlockEncoder(str(folder)), engine=_interrupted_after(2))
    options = json.loads((folder / "options.json").read_text())
    options["lstm"]["cell_clip"] = 0.01
    (folder / "options.json").write_text(json.dumps(options))
    with pytest.raises(ValueError, match="expected the options of the interrupted run, config"):
        embed(tmp_path / "out", BlockEncoder(str(folder)))


def test_changed_weights_raise(tmp_path: Path) -> None:
    save(random_bilm(seed=1), tmp_path)
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", BlockEncoder(str(tmp_path)), engine=_interrupted_after(2))
    save(random_bilm(seed=2), tmp_path)
    with pytest.raises(ValueError, match="expected the options of the interrupted run, weights"):
        embed(tmp_path / "out", BlockEncoder(str(tmp_path)))


def test_moved_bilm(bilm_folder: str, tmp_path: Path) -> None:
    expected = embed(tmp_path / "whole", BlockEncoder(bilm_folder)).read_bytes()
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", BlockEncoder(bilm_folder), engine=_interrupted_after(2))
    moved = shutil.copytree(bilm_folder, tmp_path / "moved")
    assert embed(tmp_path / "out", BlockEncoder(str(moved))).read_bytes() == expected


def test_parts_without_options_are_made_again(bilm_folder: str, tmp_path: Path) -> None:
    """Simulate an interrupted cleanup of a run with other options."""
    expected = embed(tmp_path / "whole", BlockEncoder(bilm_folder, "last")).read_bytes()
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", BlockEncoder(bilm_folder, 0), engine=_interrupted_after(2))
    (tmp_path / "out.partial" / "run.json").unlink()
    assert embed(tmp_path / "out", BlockEncoder(bilm_folder, "last")).read_bytes() == expected


def test_workers_import_the_same_packages(bilm_folder: str) -> None:
    encoder = BlockEncoder(bilm_folder, packages=("no_such_package",))
    for one in (encoder, pickle.loads(pickle.dumps(encoder))):
        with pytest.raises(ModuleNotFoundError, match="no_such_package"):
            one.description()
    of_package = BlockEncoder(bilm_folder, packages=("json",)).description()
    assert of_package == BlockEncoder(bilm_folder).description()


def test_character_ids_of_another_width_raise(bilm_folder: str, tmp_path: Path) -> None:
    sentence = Sentence(["word"], batch_to_ids([["word"]], 80)[0])
    with pytest.raises(ValueError, match=r"character ids: expected 50 per word, .* found 80"):
        BlockEncoder(bilm_folder)(Block(0, 0, 0, [sentence]))


def test_two_runs_at_once_raise(bilm_folder: str, tmp_path: Path) -> None:
    encoder = BlockEncoder(bilm_folder)
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", encoder, engine=_interrupted_after(2))
    descriptor = os.open(tmp_path / "out.partial" / "lock", os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(ValueError, match="another process is writing this output"):
        embed(tmp_path / "out", encoder)
    os.close(descriptor)
    embed(tmp_path / "out", encoder)


def test_directory_that_another_run_finished_and_removed(
    bilm_folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulate a run that ends after the lock file is opened and before it is locked."""
    encoder, lock = BlockEncoder(bilm_folder), fcntl.flock

    def finish_first(descriptor: int, operation: int) -> None:
        if os.path.exists(tmp_path / "out.partial" / "lock"):
            shutil.rmtree(tmp_path / "out.partial")
        lock(descriptor, operation)

    with monkeypatch.context() as patch, pytest.raises(ValueError, match="another process is writ"):
        patch.setattr(fcntl, "flock", finish_first)
        embed(tmp_path / "out", encoder)
    embed(tmp_path / "out", encoder)


def test_earlier_result_stays_until_the_new_one_is_whole(bilm_folder: str, tmp_path: Path) -> None:
    old = embed(tmp_path / "out", BlockEncoder(bilm_folder, 0)).read_bytes()
    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path / "out", BlockEncoder(bilm_folder), engine=_interrupted_after(2))
    assert (tmp_path / "out").read_bytes() == old


def test_no_sentences_raise(bilm_folder: str, tmp_path: Path) -> None:
    for text in ([], [[], []]):
        with pytest.raises(ValueError, match="expected sentences, found none"):
            embed(tmp_path / "out", BlockEncoder(bilm_folder), text=text)
        assert not (tmp_path / "out").exists()
        shutil.rmtree(tmp_path / "out.partial", ignore_errors=True)


@pytest.mark.parametrize("layers", ["all", "average"])
def test_processes_write_the_same_bytes(layers: str, bilm_folder: str, tmp_path: Path) -> None:
    encoder = BlockEncoder(bilm_folder, layers)  # type: ignore[arg-type]
    alone = embed(tmp_path / "alone", encoder).read_bytes()
    together = embed(tmp_path / "together", encoder, engine=Processes(2)).read_bytes()
    assert together == alone


def test_processes_read_the_text_once(bilm_folder: str, tmp_path: Path) -> None:
    """Standard input cannot be read again."""
    encoder = BlockEncoder(bilm_folder)
    alone = embed(tmp_path / "alone", encoder).read_bytes()
    together = embed(tmp_path / "together", encoder, text=iter(TEXT), engine=Processes(2))
    assert together.read_bytes() == alone


def test_killed_workers_raise_and_their_blocks_are_encoded_again(
    bilm_folder: str, tmp_path: Path
) -> None:
    encoder = BlockEncoder(bilm_folder)
    alone = embed(tmp_path / "alone", encoder).read_bytes()

    def kill_workers(encoder: BlockEncoder, files: Sequence, store: PartStore) -> Iterator[Block]:
        import multiprocessing

        of_other_tests = multiprocessing.active_children()
        for done, block in enumerate(Processes(2)(encoder, files, store)):
            if done == 2:
                for worker in set(multiprocessing.active_children()) - set(of_other_tests):
                    worker.kill()  # all, or the others could finish before it is noticed
            yield block

    with pytest.raises(ValueError, match="a worker process was killed"):
        embed(tmp_path / "out", encoder, engine=kill_workers)
    assert embed(tmp_path / "out", encoder, engine=Processes(2)).read_bytes() == alone


@pytest.mark.usefixtures("few_open_files")
def test_processes_open_no_file_per_sentence(
    bilm_folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentences of a configuration have character ids of their own."""
    monkeypatch.setattr("elmo_plugin.embedding.blocks.MAX_BLOCK_TOKENS", 1000)
    monkeypatch.setattr("elmo_plugin.embedding.blocks.MAX_BLOCK_SENTENCES", 300)
    texts = [[f"word{number}"] for number in range(900)]
    sentences = [Sentence(text, batch_to_ids([text])[0].to(torch.int16)) for text in texts]
    encoder = BlockEncoder(bilm_folder, "average")
    embed_corpus([sentences], tmp_path / "one", encoder, "packed", encode_here)
    embed_corpus([sentences], tmp_path / "two", encoder, "packed", Processes(2))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_errors_of_processes_are_raised_as_the_engines_own(
    bilm_folder: str, tmp_path: Path
) -> None:
    text = [[Sentence(["word"], torch.ones(1, 7, dtype=torch.int16))] * 9]
    encoder = BlockEncoder(bilm_folder)
    raised = []
    for engine in (encode_here, Processes(2)):
        with pytest.raises(ValueError, match="character") as error:
            embed_corpus(text, tmp_path / "out", encoder, "packed", engine)
        # `elmo` prints errors that this package raises in one line.
        assert error.traceback[-1].frame.f_globals["__name__"].startswith("elmo_plugin.")
        raised.append(str(error.value))
    assert raised[0] == raised[1]


@pytest.mark.parametrize("name", [".run.json", "00000-0000000"])
def test_files_of_killed_writes_are_removed(name: str, bilm_folder: str, tmp_path: Path) -> None:
    partial = tmp_path / "out.partial"
    partial.mkdir()
    (partial / f"{name}.0123456789abcdef.tmp").write_text("half")
    assert embed(tmp_path / "out", BlockEncoder(bilm_folder)).exists() and not partial.exists()


@pytest.mark.parametrize("name", ["notes.txt", "folder", "movie.part", "thesis.tmp"])
def test_other_files_of_the_partial_directory_are_kept(
    name: str, bilm_folder: str, tmp_path: Path
) -> None:
    partial = tmp_path / "out.partial"
    partial.mkdir()
    (partial / name).mkdir() if name == "folder" else (partial / name).write_text("mine")
    with pytest.raises(ValueError, match=f"found other files: {name}"):
        embed(tmp_path / "out", BlockEncoder(bilm_folder))
    assert (partial / name).exists() and not (tmp_path / "out").exists()
