"""Corpora and their vectors in files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from elmo_plugin.data.sentence import Sentence
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.choices import Format
from elmo_plugin.embedding.corpus import Engine, embed_corpus, encode_here

TEXT = [
    ["The", "river", "bank", "was", "muddy", "."],
    [],
    ["The", "bank", "is", "closed", "."],
    ["The", "river", "bank", "was", "muddy", "."],
    ["한국어", "문장"],
    *(["word"] * length for length in range(1, 20)),
    [],
]
"""With blank lines and duplicates, in several blocks of `small_blocks`."""


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elmo_plugin.embedding.blocks.MAX_BLOCK_TOKENS", 20)
    monkeypatch.setattr("elmo_plugin.embedding.blocks.MAX_BLOCK_SENTENCES", 4)


def embed(
    out: Path,
    encoder: BlockEncoder,
    form: Format = "packed",
    text: Iterable[list[str]] = TEXT,
    engine: Engine = encode_here,
) -> Path:
    sentences = map(Sentence, text)
    again = isinstance(text, Sequence)
    embed_corpus([list(sentences) if again else sentences], out, encoder, form, engine)
    return out
