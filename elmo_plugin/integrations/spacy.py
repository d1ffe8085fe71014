"""A spaCy pipeline component, `elmo`, for the extra `spacy`."""

# Without `from __future__ import annotations`: spaCy checks a configuration by a factory's types.

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Union

import numpy

from elmo_plugin.common.optional_library import optional_library
from elmo_plugin.embedding.batches import batched
from elmo_plugin.embedding.embedder import Embedder
from elmo_plugin.integrations.embedders import load_embedder
from elmo_plugin.weights.resolve import BUILT_IN

with optional_library("spacy", extra="spacy"):
    from spacy.language import Language
    from spacy.pipeline import Pipe
    from spacy.tokens import Doc, Span, Token


class ElmoComponent(Pipe):
    """
    Adds ELMo vectors to documents.

        import spacy

        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("elmo", config={"layers": "last"})
        doc = nlp("The river bank was muddy. The bank is closed.")
        doc[2].similarity(doc[7])  # "bank" twice, in two contexts

    `doc.tensor` holds a row per token, zero for white space. `vector`, `has_vector` and
    `similarity` of tokens, spans and documents read it: the vector of a span or document is the
    mean of its tokens'.

    Each sentence is embedded by itself if the document has sentence boundaries, so add a component
    that sets them before this one; without, the whole document is one sentence. Another component
    that writes `doc.tensor`, such as `tok2vec`, must come before. spaCy does not save hooks: after
    `Doc.from_bytes`, and with `nlp.pipe(..., n_process=2)`, call `add_vector_hooks(doc)`.

    The biLM is loaded with the first document, once per process. A saved pipeline holds the
    component's configuration, not the biLM.

    # Parameters

    name : `str`
        Name of the component in the pipeline.
    bilm : `str`, optional (default = `"built-in"`)
        A pretrained biLM, see `Embedder`.
    layers : `str` or `int`, optional (default = `"average"`)
        See `Embedder.encode`; with "all", their vectors are concatenated.
    batch_size : `int`, optional (default = `128`)
        Sentences at once.
    device : `str`, optional (default = `"cpu"`)
    precision : `str`, optional (default = `"float32"`)
    initial_state : `str`, optional (default = `"zero"`)
        See `Embedder`.
    """

    def __init__(
        self,
        name: str = "elmo",
        bilm: str = BUILT_IN,
        layers: Union[str, int] = "average",
        batch_size: int = 128,
        device: str = "cpu",
        precision: str = "float32",
        initial_state: str = "zero",
    ) -> None:
        self.name = name
        self.layers: Any = layers
        self.batch_size = batch_size
        self._model: Any = (bilm, device, precision, initial_state)

    def __call__(self, doc: Doc) -> Doc:
        """Embed one document."""
        self._embed([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Embed `batch_size` documents together, in their order."""
        handle_error = self.get_error_handler()
        for docs in batched(stream, batch_size):
            try:
                self._embed(docs)
            except Exception as error:  # spaCy's rule: the pipeline's handler decides
                handle_error(self.name, self, docs, error)
            else:
                yield from docs

    def _embed(self, docs: Sequence[Doc]) -> None:
        embedder: Embedder = load_embedder(*self._model)
        sentences = [tokens for doc in docs for tokens in _sentences(doc)]
        words = ([token.text for token in tokens] for tokens in sentences)
        vectors = iter(embedder.encode(words, self.layers, batch_size=self.batch_size))
        num_layers = embedder.num_layers if self.layers == "all" else 1
        for doc in docs:
            doc.tensor = numpy.zeros((len(doc), num_layers * embedder.dim), dtype="float32")
            for tokens in _sentences(doc):
                # With "all", of shape (tokens, layers, dim).
                rows = next(vectors).reshape(len(tokens), doc.tensor.shape[1])
                doc.tensor[[token.i for token in tokens]] = rows
            add_vector_hooks(doc)


@Language.factory(
    "elmo",
    assigns=["doc.tensor", "doc.vector", "token.vector"],
    default_config={
        "bilm": BUILT_IN,
        "layers": "average",
        "batch_size": 128,
        "device": "cpu",
        "precision": "float32",
        "initial_state": "zero",
    },
)
def make_elmo(
    nlp: Language,
    name: str,
    bilm: str,
    layers: Union[str, int],
    batch_size: int,
    device: str,
    precision: str,
    initial_state: str,
) -> ElmoComponent:
    """Construct the component of `nlp.add_pipe("elmo")`, see `ElmoComponent`."""
    return ElmoComponent(name, bilm, layers, batch_size, device, precision, initial_state)


def add_vector_hooks(doc: Doc) -> None:
    """
    Make `doc.tensor` the source of `vector`, `has_vector` and `similarity` of a document, its spans
    and its tokens.
    """
    doc.user_hooks.update(_HOOKS)
    doc.user_span_hooks.update(_HOOKS)
    doc.user_token_hooks.update(_TOKEN_HOOKS)


def _sentences(doc: Doc) -> list[list[Token]]:
    """Tokens of each sentence without white space, which no biLM has been trained on."""
    sentences = doc.sents if doc.has_annotation("SENT_START") else [doc]
    return [[token for token in sentence if not token.is_space] for sentence in sentences]


def _token_vector(token: Token) -> numpy.ndarray:
    return token.doc.tensor[token.i]


def _token_has_vector(token: Token) -> bool:
    return not token.is_space


def _mean_vector(tokens: Union[Doc, Span]) -> numpy.ndarray:
    tensor = (tokens.doc if isinstance(tokens, Span) else tokens).tensor
    rows = tensor[[token.i for token in tokens if not token.is_space]]
    return rows.mean(0) if len(rows) else numpy.zeros(tensor.shape[1], dtype="float32")


def _has_vector(tokens: Union[Doc, Span]) -> bool:
    return any(not token.is_space for token in tokens)


def _similarity(one: Any, other: Any) -> float:
    """Cosine; unlike spaCy's default, not 1 for the same words in different contexts."""
    norms = numpy.linalg.norm(one.vector) * numpy.linalg.norm(other.vector)
    return float(one.vector @ other.vector / norms) if norms else 0.0


_HOOKS: dict[str, Callable[..., Any]] = {
    "vector": _mean_vector,
    "has_vector": _has_vector,
    "similarity": _similarity,
}
_TOKEN_HOOKS: dict[str, Callable[..., Any]] = {
    "vector": _token_vector,
    "has_vector": _token_has_vector,
    "similarity": _similarity,
}
