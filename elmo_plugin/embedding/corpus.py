"""Writes the vectors of a corpus to a file, and resumes where it was interrupted."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from elmo_plugin.data.sentence import Sentence
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.blocks import Block, iter_blocks
from elmo_plugin.embedding.choices import Format
from elmo_plugin.embedding.formats import FORMATS
from elmo_plugin.embedding.partial_run import partial_run
from elmo_plugin.embedding.parts import Part, PartStore

Files = Sequence[Iterable[Sentence]]

Blocks = Generator[Block, None, None]
Engine = Callable[[BlockEncoder, Files, PartStore], Blocks]
"""
Writes the parts of all blocks that have none yet; yields the blocks that have one, in the order of
the text.
"""


def embed_corpus(
    files: Files,
    out: str | Path,
    encoder: BlockEncoder,
    format: Format,
    engine: Engine,
    report: Callable[[int], object] = lambda sentences: None,
) -> None:
    """
    Write the vectors of all sentences, in order. The result appears when it is whole. Until then,
    finished blocks are kept in `OUT.partial`: the same call resumes, and its result is
    byte-identical to that of an uninterrupted one. There must be space for both.

    # Parameters

    files : `Sequence[Iterable[Sentence]]`
    out : `str` or `Path`
    encoder : `BlockEncoder`
    format : `str`
        See `FORMATS`.
    engine : `Engine`
    report : `Callable`, optional
        Called with the number of sentences of each finished block.

    # Raises

    `ValueError` : no text, text or options that have changed since the interruption, vectors that
    are not finite, or a directory in place of the file.
    """
    writer = FORMATS[format]
    writer.check(encoder)
    _check_out(Path(out), format)
    with (
        partial_run(Path(out), encoder.description()) as store,
        # Stop the workers before the directory is unlocked.
        closing(engine(encoder, files, store)) as blocks,
    ):
        writer.write(_parts(blocks, store, report), Path(out), encoder)


def _parts(
    blocks: Iterable[Block], store: PartStore, report: Callable[[int], object]
) -> Iterator[Part]:
    tokens = 0
    for block in blocks:
        yield store.read(block.name)
        tokens += sum(len(sentence.tokens) for sentence in block.sentences)
        report(len(block.sentences))
    if not tokens:
        raise ValueError("input: expected sentences, found none")


def _check_out(out: Path, format: Format) -> None:
    if format == "parquet-directory" and out.exists():
        raise ValueError(f"{out}: expected nothing there, found a file or directory")
    if out.is_dir():
        raise ValueError(f"{out}: expected the name of a file, found a directory")


def encode_here(encoder: BlockEncoder, files: Files, store: PartStore) -> Blocks:
    """Encode blocks one after the other, in this process."""
    return encode_blocks(encoder, iter_blocks(files), store)


def encode_blocks(encoder: BlockEncoder, blocks: Iterable[Block], store: PartStore) -> Blocks:
    """Write the parts of those blocks that have none, and yield each block."""
    for block in blocks:
        if not store.has(block.name, block.digest()):
            store.write(encoder(block))
        yield block
