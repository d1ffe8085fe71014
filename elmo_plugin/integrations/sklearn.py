"""A scikit-learn transformer of sentences to vectors, for the extra `sklearn`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import count
from typing import Any

import numpy

from elmo_plugin.common.optional_library import optional_library
from elmo_plugin.embedding.choices import Layers, Pooling
from elmo_plugin.embedding.embedder import Embedder
from elmo_plugin.integrations.embedders import load_embedder
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.weights.bilm_file import Precision
from elmo_plugin.weights.resolve import BUILT_IN

with optional_library("sklearn", extra="sklearn"):
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

_EXPECTED = "X: expected sentences, each raw text or a list of tokens"


class ElmoTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """
    Turns sentences into ELMo vectors, one per sentence.

        from elmo_plugin.integrations.sklearn import ElmoTransformer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        classifier = make_pipeline(ElmoTransformer(), LogisticRegression(max_iter=1000))
        classifier.fit(["I loved it.", "What a bore."], ["good", "bad"])

    There is nothing to fit. The biLM is loaded when it is first used, once per process; clones
    share it, and a pickled transformer holds its parameters alone. A grid search embeds the same
    sentences again for each candidate, unless the pipeline has a cache (`Pipeline(memory=...)`).

    # Parameters

    bilm : `str`, optional (default = `"built-in"`)
        A pretrained biLM, see `Embedder`.
    layers : `str` or `int`, optional (default = `"average"`)
        See `Embedder.encode`; with "all", their vectors are concatenated.
    pooling : `str`, optional (default = `"mean"`)
        Or "max", over a sentence's tokens.
    batch_size : `int`, optional (default = `128`)
        Sentences at once.
    device : `str`, optional (default = `"cpu"`)
    precision : `str`, optional (default = `"float32"`)
    initial_state : `str`, optional (default = `"zero"`)
        See `Embedder`.
    """

    def __init__(
        self,
        bilm: str = BUILT_IN,
        *,
        layers: Layers = "average",
        pooling: Pooling = "mean",
        batch_size: int = 128,
        device: str = "cpu",
        precision: Precision = "float32",
        initial_state: InitialState = "zero",
    ) -> None:
        self.bilm = bilm
        self.layers = layers
        self.pooling = pooling
        self.batch_size = batch_size
        self.device = device
        self.precision = precision
        self.initial_state = initial_state

    def fit(self, X: Iterable[Any], y: Any = None) -> ElmoTransformer:
        """
        Check the form of `X`; there is nothing to learn.

        # Parameters

        X : `Iterable[str]` or `Iterable[Sequence[str]]`
            See `transform`.
        y
            Ignored.
        """
        _check_form(X)
        return self

    def transform(self, X: Iterable[Any]) -> numpy.ndarray:
        """
        Embed sentences, one vector each.

        # Parameters

        X : `Iterable[str]` or `Iterable[Sequence[str]]`
            Raw text, which is tokenized (see `Embedder`), or lists of tokens: a list, an iterator,
            or an array or a column of one dimension.

        # Returns

        `numpy.ndarray` : float32, zeros for a sentence without tokens. Shape (sentences, dim).

        # Raises

        `ValueError` : anything else than sentences, or an argument out of its range.
        """
        _check_form(X)
        if self.pooling is None:
            raise ValueError("pooling: expected 'mean' or 'max', got None")
        sentences = list(map(_checked, X, count()))
        vectors = self._embedder.encode(sentences, self.layers, self.pooling, self.batch_size)
        return vectors.reshape(len(sentences), self._n_features_out)

    @property
    def _embedder(self) -> Embedder:
        return load_embedder(str(self.bilm), self.device, self.precision, self.initial_state)

    @property
    def _n_features_out(self) -> int:
        # For `get_feature_names_out`.
        num_layers = self._embedder.num_layers if self.layers == "all" else 1
        return num_layers * self._embedder.dim

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []  # float32 in any case
        tags.requires_fit = False
        return tags


def _check_form(X: Any) -> None:
    # A dict's keys would pass as sentences; a set has no order.
    if isinstance(X, (str, Mapping, Set)) or not isinstance(X, Iterable):
        raise ValueError(f"{_EXPECTED}, got {X!r:.60} ({type(X).__name__})")
    shape = getattr(X, "shape", (0,))
    if len(shape) != 1:
        raise ValueError(f"{_EXPECTED}, in one dimension, got shape {shape}")


def _checked(sentence: Any, position: int) -> Any:
    if not isinstance(sentence, (str, list, tuple, numpy.ndarray)):
        found = f"{sentence!r:.60} ({type(sentence).__name__})"
        raise ValueError(f"{_EXPECTED}, got {found} at position {position}")
    return sentence
