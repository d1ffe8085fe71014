"""A trained language model to start from, whichever form it is kept in."""

from dataclasses import asdict, replace
from typing import Any, NamedTuple, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.data import Vocabulary
from allennlp.models import Model

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.data.language_modeling.vocabulary import special_tokens_first, words_in_order
from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.pretrained import locate
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.language_model_files import LanguageModelFiles, find_files, load_softmax
from elmo_plugin.weights.options import read_options


class Pretrained(NamedTuple):
    """A biLM, and the softmax with the words of its rows where there is one."""

    path: str
    bilm: Bilm
    softmax: Optional[Softmax] = None
    words: Optional[list[str]] = None


def read_pretrained(path: str, stated: dict[str, Any], vocab: Vocabulary) -> Pretrained:
    """
    # Parameters

    path : `str`
        A folder that `elmo export` wrote; or a weight file or its URL, with options beside it, and
        softmax and vocabulary where they are known (see `LanguageModelFiles` for their names); or a
        biLM's model.tar.gz, or the folder that it was trained in; or "built-in".
    stated : `Dict[str, Any]`
        Sizes that it must have, by their names in `BilmConfig`; any number of them.
    vocab : `Vocabulary`
        Must be the softmax's own, where there is one.

    # Raises

    `ValueError` : names the file, and what does not fit.
    """
    files = find_files(locate(path))
    pretrained = _from_archive(path) if files is None else _from_files(path, files)
    _check_sizes(path, pretrained.bilm.config, stated)
    if pretrained.words is not None:
        _check_words(path, pretrained.words, words_in_order(vocab))
    return pretrained


def read_pretrained_config(path: str) -> BilmConfig:
    """The sizes of what `read_pretrained` reads."""
    files = find_files(locate(path))
    if files is None:
        return _from_archive(path).bilm.config
    return read_options(cached_path(files.options))


def record_pretrained_config(configuration: dict[str, Any]) -> None:
    """
    Adds the sizes of the biLM that a training starts from to the training's configuration, where
    they are not stated: its archive must do without the files that they came from.
    """
    model = configuration["model"]
    with configuration_errors():
        config = asdict(read_pretrained_config(model["pretrained_file"]))
    for name, size in config.items():
        # As JSON has it, so that a resumed training's is found equal.
        model.setdefault(name, [list(pair) for pair in size] if name == "filters" else size)
    for key in ("dataset_reader", "validation_dataset_reader"):
        reader = configuration.get(key)
        if isinstance(reader, dict) and reader.get("type") == "bilm_text":
            reader.setdefault("max_characters", config["max_characters"])


def _from_files(path: str, files: LanguageModelFiles) -> Pretrained:
    bilm = load_bilm(cached_path(files.options), cached_path(files.weights))
    if files.softmax is None:
        return Pretrained(path, bilm)
    rows = files.read_words()
    softmax = load_softmax(files.softmax, rows, bilm.config.projection_dim)
    words = special_tokens_first(rows, str(files.vocabulary))
    if rows != words:
        _reorder(softmax, rows, words)
    return Pretrained(path, bilm, softmax, words)


def _reorder(softmax: Softmax, rows: list[str], words: list[str]) -> None:
    places = {word: place for place, word in enumerate(rows)}
    order = torch.tensor([places[word] for word in words])
    for parameter in softmax.parameters():
        parameter.data = parameter.data[order]


def _from_archive(path: str) -> Pretrained:
    model = Model.from_archive(path)
    bilm, softmax = getattr(model, "bilm", None), getattr(model, "softmax", None)
    if not isinstance(bilm, Bilm) or not isinstance(softmax, Softmax):
        raise ConfigurationError(
            f"{path}: expected a model of type bilm, found {type(model).__name__}"
        )
    return Pretrained(path, bilm, softmax, words_in_order(model.vocab))


def _check_sizes(path: str, found: BilmConfig, stated: dict[str, Any]) -> None:
    asked = replace(found, **stated)
    wrong = [
        f"{name} {getattr(found, name)!r}, got {getattr(asked, name)!r}"
        for name in stated
        if getattr(asked, name) != getattr(found, name)
    ]
    if wrong:
        raise ValueError(
            f"{path}: expected this biLM's sizes, {'; '.join(wrong)}. "
            "Those that are left out are taken from there"
        )


def _check_words(path: str, found: list[str], expected: list[str]) -> None:
    if found == expected:
        return
    pairs = zip([*found, None], [*expected, None])
    place, (theirs, ours) = next((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1])
    raise ValueError(
        f"{path}: the softmax predicts these {len(found)} words, the model's vocabulary has "
        f"{len(expected)}; the first difference is at {place}: {theirs!r} and {ours!r}. "
        "Take the vocabulary of type bilm_pretrained, from the same path"
    )
