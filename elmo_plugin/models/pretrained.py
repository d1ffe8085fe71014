"""A trained language model to go on from, whichever form it is kept in."""

from pathlib import Path
from typing import NamedTuple, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.data import Vocabulary
from allennlp.models import Model

from elmo_plugin.data.vocabulary import words_in_order
from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.pretrained import locate
from elmo_plugin.weights.bilm_file import load_weights
from elmo_plugin.weights.language_model_files import (
    SOFTMAX,
    VOCABULARY,
    WEIGHTS,
    load_softmax,
    read_vocabulary,
)


class Pretrained(NamedTuple):
    """What there is of a language model: a biLM's files may be without a softmax."""

    bilm: Bilm
    softmax: Optional[Softmax]


def read_pretrained(path: str, config: BilmConfig, vocab: Vocabulary) -> Pretrained:
    """
    # Parameters

    path : `str`
        A folder that `elmo export` wrote; or a weight file or its URL, with softmax.hdf5 and
        vocabulary.txt beside it where they are known; or a biLM's model.tar.gz, or the folder that
        it was trained in; or "built-in".
    config : `BilmConfig`
        The sizes that it must have.
    vocab : `Vocabulary`
        Must be the softmax's own, where there is one.

    # Raises

    `ValueError` : names the file, and what does not fit.
    """
    path = locate(path)
    exported = Path(path, WEIGHTS)
    if exported.is_file():
        path = str(exported)
    if path.endswith((".hdf5", ".h5")):
        return _from_files(path, config, words_in_order(vocab))
    return _from_archive(path, config, words_in_order(vocab))


def _from_files(path: str, config: BilmConfig, words: list[str]) -> Pretrained:
    bilm = load_weights(config, cached_path(path), "the model's sizes")
    softmax_file, vocabulary_file = (Path(path).with_name(name) for name in (SOFTMAX, VOCABULARY))
    if not softmax_file.is_file():
        return Pretrained(bilm, None)
    _check_words(read_vocabulary(vocabulary_file), words, vocabulary_file)
    return Pretrained(bilm, load_softmax(softmax_file, words, config.projection_dim))


def _from_archive(path: str, config: BilmConfig, words: list[str]) -> Pretrained:
    model = Model.from_archive(path)
    bilm, softmax = getattr(model, "bilm", None), getattr(model, "softmax", None)
    if not isinstance(bilm, Bilm) or not isinstance(softmax, Softmax):
        raise ConfigurationError(
            f"{path}: expected a model of type bilm, found {type(model).__name__}"
        )
    if bilm.config != config:
        raise ValueError(f"{path}: expected {config}, found {bilm.config}")
    _check_words(words_in_order(model.vocab), words, path)
    return Pretrained(bilm, softmax)


def _check_words(found: list[str], expected: list[str], source: object) -> None:
    if found == expected:
        return
    pairs = zip([*found, None], [*expected, None])
    place, (theirs, ours) = next((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1])
    raise ValueError(
        f"{source}: the softmax predicts these {len(found)} words, the model's vocabulary has "
        f"{len(expected)}; the first difference is at {place}: {theirs!r} and {ours!r}. "
        "Take the vocabulary of type bilm_pretrained, from the same path"
    )
