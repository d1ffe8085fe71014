"""`Embedder`: vectors of sentences in a few lines of Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from operator import length_hint
from pathlib import Path
from typing import Any

import numpy
import torch

from elmo_plugin.common.progress import progress_bar
from elmo_plugin.embedding.batches import check_batch_size
from elmo_plugin.embedding.choices import Layers, Pooling
from elmo_plugin.embedding.encode import Count, encode_stream, no_count
from elmo_plugin.embedding.selection import check_pooling, layer_selection, pool
from elmo_plugin.embedding.tokenizer import TextOrTokens, as_tokens, check_texts
from elmo_plugin.layers import Bilm, ScalarMix
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.models.loading import load_elmo_from
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.bilm_file import Precision, precision_type
from elmo_plugin.weights.resolve import BUILT_IN


class Embedder:
    """
    Embeds sentences with a trained biLM.

        from elmo_plugin import Embedder

        embedder = Embedder()
        first, second = embedder.encode(["The river bank was muddy.", "The bank is closed."])

    A sentence's vectors depend on that sentence alone, up to rounding: a few units in the seventh
    digit, as matrix products round differently in batches of different sizes.

    # Parameters

    bilm : `str`, `Path` or `Bilm`, optional (default = `"built-in"`)
        A pretrained biLM: "built-in", a directory that `elmo export` wrote, a weight file with its
        options beside it, an archive or the serialization directory of a training run, of a biLM or
        of a task model with ELMo, whose learned mix `layers="mix"` then applies. A `Bilm` is
        frozen, moved and converted in place, and keeps its initial state.
    device : `str`, optional (default = `"cpu"`)
        Or "cuda", "cuda:1", "mps".
    precision : `str`, optional (default = `"float32"`)
        "bfloat16" for faster inference where the hardware supports it, see `load_bilm`; vectors are
        float32 in any case.
    initial_state : `str`, optional (default = `"zero"`)
        LSTM state that each sentence starts from: "zero", or "warm" for the one that is stored
        with the weights. A task model's biLM starts from the state that it was trained with.

    # Raises

    `ValueError`, `FileNotFoundError` : no biLM, or damaged files; a `Bilm` with another initial
    state or of lower precision.
    """

    def __init__(
        self,
        bilm: str | Path | Bilm = BUILT_IN,
        *,
        device: str | torch.device = "cpu",
        precision: Precision = "float32",
        initial_state: InitialState = "zero",
    ) -> None:
        dtype = precision_type(precision)
        self.mix: ScalarMix | None = None
        """Weights of the layers that a task model has learned, if `bilm` is one (equation 1)."""
        if not isinstance(bilm, Bilm):
            bilm, self.mix = load_elmo_from(str(bilm), initial_state)
            bilm.to_precision(torch.float32)  # a task model may have been trained in bfloat16
        else:
            _check_bilm(bilm, dtype, initial_state)
        if bilm.initial_state == "carried":
            raise ValueError('initial_state: expected "zero" or "warm", got "carried"')
        self.bilm = bilm.eval().requires_grad_(False).to(device)
        if self.mix is not None:
            self.mix.eval().to(device)
        if dtype != torch.float32:
            self.bilm.to_precision(dtype)

    @classmethod
    def from_files(
        cls,
        options_file: str | Path,
        weight_file: str | Path,
        *,
        device: str | torch.device = "cpu",
        precision: Precision = "float32",
        initial_state: InitialState = "zero",
    ) -> Embedder:
        """Load files in bilm-tf's format, such as the published ones; see the constructor."""
        bilm = load_bilm(options_file, weight_file, initial_state)
        return cls(bilm, device=device, precision=precision)

    @property
    def dim(self) -> int:
        """Dimensions of a token's vector in each layer: both directions together."""
        return self.bilm.output_dim

    @property
    def num_layers(self) -> int:
        """Number of layers, the token layer included."""
        return self.bilm.mixture_size

    def encode(
        self,
        sentences: Iterable[TextOrTokens],
        layers: Layers = "average",
        pooling: Pooling | None = None,
        batch_size: int = 128,
        convert_to_tensor: bool = False,
        show_progress_bar: bool = False,
    ) -> Any:
        """
        Return the vectors of each sentence.

        # Parameters

        sentences : `Iterable[str]` or `Iterable[Sequence[str]]`
            Raw text, tokenized by `elmo_plugin.embedding.tokenizer.tokenize`, or lists of tokens.
        layers : `str` or `int`, optional (default = `"average"`)
            "average" of all layers; "all" of them, not combined; "last"; "mix", the weighted sum
            that a task model has learned (equation 1); or the index of a layer, 0 for the token
            layer, which depends on one word alone and needs no LSTM.
        pooling : `str`, optional (default = `None`)
            "mean" or "max" over a sentence's tokens, for one vector per sentence.
        batch_size : `int`, optional (default = `128`)
            Sentences at once; fewer where they are long.
        convert_to_tensor : `bool`, optional (default = `False`)
            Return torch tensors, on the CPU, in place of NumPy arrays.
        show_progress_bar : `bool`, optional (default = `False`)
            Show the number of embedded sentences on standard error.

        # Returns

        Without pooling, a list with an array for each sentence, in their order, of shape
        (tokens, dim), with `layers="all"` (tokens, layers, dim). With pooling, one array, of shape
        (sentences, dim) or (sentences, layers, dim). float32.

        # Raises

        `ValueError` : names what was expected of the argument.
        """
        options = (layers, pooling, batch_size)
        bar = progress_bar(length_hint(sentences) or None, "embedding", "sentences")
        with bar if show_progress_bar else nullcontext(no_count) as count:
            # Copies, since each would keep the vectors of its whole batch.
            found = [one.clone() for one in self._encode(sentences, *options, count)]
        if pooling is not None:
            # Without sentences, an empty one gives the shape.
            stacked = torch.stack(found or [*self._encode([[]], *options)])[: len(found)]
            return stacked if convert_to_tensor else stacked.numpy()
        return found if convert_to_tensor else [vectors.numpy() for vectors in found]

    def stream(
        self,
        sentences: Iterable[TextOrTokens],
        layers: Layers = "average",
        pooling: Pooling | None = None,
        batch_size: int = 128,
    ) -> Iterator[numpy.ndarray]:
        """
        Yield the vectors of each sentence of a text of any length, in order, as NumPy arrays; see
        `encode`. Reads 4,096 sentences at a time.
        """
        found = self._encode(sentences, layers, pooling, batch_size)
        return (vectors.clone().numpy() for vectors in found)  # copies, as in `encode`

    def _encode(
        self,
        sentences: Iterable[TextOrTokens],
        layers: Layers,
        pooling: Pooling | None,
        batch_size: int,
        count: Count = no_count,
    ) -> Iterator[torch.Tensor]:
        check_texts(sentences)
        check_pooling(pooling)
        check_batch_size(batch_size)
        select = layer_selection(layers, self.num_layers, self.mix)
        vectors = encode_stream(self.bilm, map(as_tokens, sentences), select, batch_size, count)
        return vectors if pooling is None else (pool(one, pooling) for one in vectors)


def _check_bilm(bilm: Bilm, dtype: torch.dtype, initial_state: InitialState) -> None:
    if initial_state not in ("zero", bilm.initial_state):
        expected = f"{bilm.initial_state!r}, that of the Bilm"
        raise ValueError(f"initial_state: expected {expected}, got {initial_state!r}")
    stored = bilm.token_encoder.projection.weight.dtype
    if torch.finfo(stored).bits < torch.finfo(dtype).bits:
        raise ValueError(
            f"precision: expected a Bilm whose matrices are of {dtype}, got {stored}, whose "
            "rounding cannot be undone"
        )
