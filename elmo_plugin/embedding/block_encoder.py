"""Embeds a block of sentences."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy
import torch

from elmo_plugin import __version__
from elmo_plugin.embedding.blocks import Block
from elmo_plugin.embedding.choices import Layers, Pooling
from elmo_plugin.embedding.embedder import Embedder
from elmo_plugin.embedding.encode import encode
from elmo_plugin.embedding.parts import Part
from elmo_plugin.embedding.selection import layer_selection, pool
from elmo_plugin.embedding.words import Words, words_of
from elmo_plugin.layers.fast.sentence_activations import keys_of_words
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.layers.torch_threads import torch_threads
from elmo_plugin.weights.bilm_file import Precision
from elmo_plugin.weights.resolve import BUILT_IN
from elmo_plugin.weights.state_checksum import sha256_of_weights


@dataclass(frozen=True)
class BlockEncoder:
    """
    Computes the vectors of a block. They are bit-identical for any number of processes, as each
    uses one core or GPU. The biLM is loaded when it is first used, in each process.

    # Parameters

    bilm : `str`, optional (default = `"built-in"`)
        See `Embedder`.
    layers : `str` or `int`, optional (default = `"all"`)
        See `layer_selection`.
    pooling : `str`, optional (default = `None`)
        "mean" or "max", for one vector per sentence.
    dtype : `str`, optional (default = `"float32"`)
        Or "float16", half as large and less exact.
    precision, initial_state, device : `str`, optional
        See `Embedder`.
    batch_size : `int`, optional (default = `128`)
        Sentences at once; fewer where they are long.
    packages : `Sequence[str]`, optional (default = `()`)
        Packages to import before loading, as `--include-package` of AllenNLP.
    """

    bilm: str = BUILT_IN
    layers: Layers = "all"
    pooling: Pooling | None = None
    dtype: str = "float32"
    precision: Precision = "float32"
    initial_state: InitialState = "zero"
    device: str = "cpu"
    batch_size: int = 128
    packages: tuple[str, ...] = ()

    @cached_property
    def _embedder(self) -> Embedder:
        if self.packages:
            from allennlp.common.util import import_module_and_submodules

            for package in self.packages:
                import_module_and_submodules(package)
        return Embedder(
            self.bilm,
            device=self.device,
            precision=self.precision,
            initial_state=self.initial_state,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return BlockEncoder, tuple(asdict(self).values())  # without the biLM

    @property
    def max_characters(self) -> int:
        """Characters per word that the biLM reads."""
        return self._embedder.bilm.config.max_characters

    def description(self) -> dict[str, Any]:
        """Return all that the vectors depend on beside the text, as values that JSON can hold."""
        bilm, mix = self._embedder.bilm, self._embedder.mix
        layer_selection(self.layers, bilm.mixture_size, mix)  # raises before any text is read
        settings = asdict(self)
        del settings["packages"]  # vectors depend on the weights and configuration that they load
        return {
            **settings,
            "initial_state": bilm.initial_state,
            "weights": sha256_of_weights(*filter(None, (bilm, mix))),
            "config": json.loads(json.dumps(asdict(bilm.config))),
            "layer_norm": None if mix is None else mix.do_layer_norm,
            "version": __version__,
        }

    def __call__(self, block: Block) -> Part:
        """
        Embed the sentences of a block.

        # Raises

        `ValueError` : vectors that are not finite, or that `dtype` cannot hold; names the sentence.
        """
        embedder = self._embedder
        select = layer_selection(self.layers, embedder.num_layers, embedder.mix)
        words = words_of(block.sentences, self.max_characters)
        # Matrix products round differently with more threads; processes use the other cores.
        with torch_threads(1):
            found = encode(embedder.bilm, words, select, self.batch_size)
        if self.pooling is not None:
            found = [pool(vectors, self.pooling).unsqueeze(0) for vectors in found]
        vectors = torch.cat(found).to(getattr(torch, self.dtype))
        stored = vectors.numpy()
        tokens = [list(sentence.tokens) for sentence in block.sentences]
        if vectors.numel() and not torch.stack(vectors.aminmax()).isfinite().all():
            self._raise_not_finite(block, [len(part) for part in found], stored)
        return Part(block.name, block.start, tokens, _keys(words), stored, block.digest())

    def _raise_not_finite(self, block: Block, lengths: list[int], stored: numpy.ndarray) -> None:
        rows = numpy.flatnonzero(~numpy.isfinite(stored).all(axis=tuple(range(1, stored.ndim))))
        sentence = int(numpy.searchsorted(numpy.cumsum(lengths), rows[0], side="right"))
        words = json.dumps(list(block.sentences[sentence].tokens), ensure_ascii=False)
        raise ValueError(
            f"input {block.file + 1}, sentence {block.start + sentence + 1}: expected vectors "
            f"that {self.dtype} can hold, found NaN, infinity or larger numbers: {words:.200}"
        )


def _keys(words: Words) -> numpy.ndarray:
    keys = keys_of_words(words.distinct, words.rows.tolist(), words.lengths)
    return numpy.frombuffer(b"".join(keys), numpy.uint8).reshape(len(keys), -1)
