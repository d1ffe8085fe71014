"""`ElmoEmbedder` of AllenNLP 0.x (`allennlp.commands.elmo.ElmoEmbedder`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import IO

import numpy
import torch

from elmo_plugin.allennlp_api.bilm import _ElmoBiLm
from elmo_plugin.allennlp_api.embed_file import OutputFormat, read_sentences, write_vectors
from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.embedding.batches import batched
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.weights.hdf5 import PathLike
from elmo_plugin.weights.input_files import check_not_read

DEFAULT_BATCH_SIZE = 64


class ElmoEmbedder:
    """
    Computes all layers of a biLM for tokenized sentences. `elmo_plugin.Embedder` takes raw text
    too, and offers a choice of layers; this class is for existing code.

        from elmo_plugin.allennlp_api import ElmoEmbedder

        embedder = ElmoEmbedder("options.json", "weights.hdf5")
        vectors = embedder.embed_sentence(["The", "bank", "is", "closed", "."])
        vectors.shape  # (3, 5, dim): layers, tokens, and dimensions

    Unlike AllenNLP's, a sentence's vectors do not depend on other sentences, see
    `elmo_plugin.allennlp_api`. An empty sentence has vectors of shape (3, 0, dim).

    # Parameters

    options_file, weight_file : `str` or `Path`, optional (default = `None`)
        Paths or URLs of a biLM in bilm-tf's format; the built-in biLM if both are `None`.
    cuda_device : `int`, optional (default = `-1`)
        Number of a GPU; -1 for the CPU.
    initial_state : `str`, optional (default = `"zero"`)
        State that each sentence starts from: "zero"; "warm", a state stored with the weights; or
        "carried", the state after the batch before, as in AllenNLP.

    # Raises

    `ValueError` : files that cannot be read or do not fit each other.
    """

    def __init__(
        self,
        options_file: PathLike | None = None,
        weight_file: PathLike | None = None,
        cuda_device: int = -1,
        *,
        initial_state: InitialState = "zero",
    ) -> None:
        self.cuda_device = cuda_device
        self._device = torch.device("cpu" if cuda_device < 0 else f"cuda:{cuda_device}")
        bilm = _ElmoBiLm(options_file, weight_file, initial_state=initial_state)
        self.elmo_bilm = bilm.to(self._device)

    @configuration_errors()
    def batch_to_embeddings(
        self, batch: Sequence[Sequence[str]]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Compute all layers of a batch, as tensors.

        # Parameters

        batch : `Sequence[Sequence[str]]`
            Tokenized sentences.

        # Returns

        vectors : `torch.Tensor`
            On the embedder's device. Shape (batch, layers, tokens, dim).
        mask : `torch.Tensor`
            True where there is a token. Shape (batch, tokens).
        """
        ids = batch_to_ids(batch, self.elmo_bilm.max_characters).to(self._device)
        output = self.elmo_bilm(ids)
        # Shape: (batch, tokens)
        mask = output["mask"][:, 2:]
        # Shape: (batch, layers, tokens, dim)
        vectors = torch.stack(output["activations"], dim=1)[:, :, 1:-1]
        return vectors * mask[:, None, :, None], mask

    def embed_sentence(self, sentence: Sequence[str]) -> numpy.ndarray:
        """Return the vectors of a tokenized sentence, of shape (layers, tokens, dim)."""
        return self.embed_batch([sentence])[0]

    def embed_batch(self, batch: Sequence[Sequence[str]]) -> list[numpy.ndarray]:
        """
        Return the vectors of each tokenized sentence, of shape (layers, tokens, dim); all sentences
        at once.
        """
        with torch.no_grad():
            vectors, mask = self.batch_to_embeddings(batch)
        pairs = zip(vectors.cpu().numpy(), mask.sum(1).tolist())
        return [sentence[:, :length].copy() for sentence, length in pairs]

    def embed_sentences(
        self, sentences: Iterable[Sequence[str]], batch_size: int = DEFAULT_BATCH_SIZE
    ) -> Iterator[numpy.ndarray]:
        """Yield the vectors of each tokenized sentence, of shape (layers, tokens, dim)."""
        for batch in batched(sentences, batch_size):
            yield from self.embed_batch(batch)

    @configuration_errors()
    def embed_file(
        self,
        input_file: IO[str],
        output_file_path: PathLike,
        output_format: OutputFormat = "all",
        batch_size: int = DEFAULT_BATCH_SIZE,
        forget_sentences: bool = False,
        use_sentence_keys: bool = False,
    ) -> None:
        """
        Write the vectors of a file's sentences to HDF5, a dataset per line, named by its number
        from 0. The file appears when it is complete. `elmo embed` does more.

        # Parameters

        input_file : `IO[str]`
            An open file, one sentence per line, tokens separated by white space. It is closed.
        output_file_path : `str` or `Path`
        output_format : `str`, optional (default = `"all"`)
            "all" layers, of shape (layers, tokens, dim), the "top" one or their "average", of shape
            (tokens, dim).
        batch_size : `int`, optional (default = `64`)
            Sentences at once.
        forget_sentences : `bool`, optional (default = `False`)
            Leave out the dataset `sentence_to_index`: a JSON object from each sentence to its line
            number.
        use_sentence_keys : `bool`, optional (default = `False`)
            Name a dataset by its sentence; a "/" makes a group of what is before it.

        # Raises

        `ValueError` : a blank line; with `use_sentence_keys`, a sentence that occurs twice; the
        same file for input and output.
        """
        with input_file:
            name = str(getattr(input_file, "name", "input_file"))
            check_not_read(output_file_path, [name])
            embedded = (
                pair
                for batch in batched(read_sentences(input_file, name), batch_size)
                for pair in zip(batch, self.embed_batch([line.split() for line in batch]))
            )
            keys = (forget_sentences, use_sentence_keys)
            write_vectors(embedded, output_file_path, output_format, *keys)
