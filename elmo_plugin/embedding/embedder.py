"""`Embedder`: vectors of sentences in a few lines of Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from elmo_plugin.common.progress import progress
from elmo_plugin.data.sentence import Sentence
from elmo_plugin.embedding.batches import batched
from elmo_plugin.embedding.encode import encode
from elmo_plugin.embedding.selection import Layers, Pooling, check_pooling, layer_selection, pool
from elmo_plugin.embedding.tokenizer import TextOrTokens, as_tokens
from elmo_plugin.embedding.words import words_of
from elmo_plugin.layers import Bilm, ScalarMix
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.models.loading import load_elmo_from
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.bilm_file import Precision, precision_type
from elmo_plugin.weights.resolve import BUILT_IN

_WINDOW = 4096


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

    `ValueError`, `FileNotFoundError` : no biLM, or damaged files.
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
        elif initial_state not in ("zero", bilm.initial_state):
            expected = f"{bilm.initial_state!r}, that of the Bilm"
            raise ValueError(f"initial_state: expected {expected}, got {initial_state!r}")
        if bilm.initial_state == "carried":
            raise ValueError('initial_state: expected "zero" or "warm", got "carried"')
        self.bilm = bilm.eval().requires_grad_(False).to(device)
        if self.mix is not None:
            self.mix.eval().to(device)
        if dtype != torch.float32:
            self.bilm.to_precision(dtype)

    @classmethod
    def from_files(
        cls, options_file: str | Path, weight_file: str | Path, **options: Any
    ) -> Embedder:
        """
        Load a biLM from files in bilm-tf's format, such as the published ones.

        # Parameters

        options_file, weight_file : `str` or `Path`
        options
            `device`, `precision` and `initial_state`, as of the constructor.
        """
        state = options.pop("initial_state", "zero")
        return cls(load_bilm(options_file, weight_file, state), **options)

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
        show_progress: bool = False,
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
        show_progress : `bool`, optional (default = `False`)
            Show the progress on standard error.

        # Returns

        Without pooling, a list with an array for each sentence, in their order, of shape
        (tokens, dim), with `layers="all"` (tokens, layers, dim). With pooling, one array, of shape
        (sentences, dim) or (sentences, layers, dim). float32.

        # Raises

        `ValueError` : names what was expected of the argument.
        """
        _check(sentences, pooling)
        if show_progress:
            sentences = progress(sentences, "embedding", "sentences")
        if pooling is not None:
            # An extra empty sentence, so that `stack` works if there are no sentences.
            more = chain(sentences, [[]])
            stacked = torch.stack(list(self._encode(more, layers, pooling, batch_size)))[:-1]
            return stacked if convert_to_tensor else stacked.numpy()
        # Copies, since each would keep the vectors of its whole batch.
        found = [one.clone() for one in self._encode(sentences, layers, pooling, batch_size)]
        return found if convert_to_tensor else [vectors.numpy() for vectors in found]

    def stream(
        self,
        sentences: Iterable[TextOrTokens],
        layers: Layers = "average",
        pooling: Pooling | None = None,
        batch_size: int = 128,
    ) -> Iterator[Any]:
        """
        Yield the vectors of each sentence of a text of any length, in order, as NumPy arrays; see
        `encode`. Reads 4,096 sentences at a time.
        """
        _check(sentences, pooling)
        found = self._encode(sentences, layers, pooling, batch_size)
        return (vectors.numpy() for vectors in found)

    def _encode(
        self,
        sentences: Iterable[TextOrTokens],
        layers: Layers,
        pooling: Pooling | None,
        batch_size: int,
    ) -> Iterator[torch.Tensor]:
        select = layer_selection(layers, self.num_layers, self.mix)
        characters = self.bilm.config.max_characters
        for i, window in enumerate(batched(map(as_tokens, sentences), _WINDOW)):
            words = words_of([*map(Sentence, window)], characters, i * _WINDOW)
            for vectors in encode(self.bilm, words, select, batch_size):
                yield vectors if pooling is None else pool(vectors, pooling)


def _check(sentences: Iterable[TextOrTokens], pooling: Pooling | None) -> None:
    check_pooling(pooling)
    # These yield letters, keys and names of columns; a set has no order.
    others = isinstance(sentences, (str, Mapping, Set)) or hasattr(sentences, "columns")
    if others or not isinstance(sentences, Iterable):
        found = f"{' '.join(repr(sentences).split()):.60} ({type(sentences).__name__})"
        raise ValueError(f"sentences: expected a list, got {found}")
