"""Adds words of test data to the vocabulary of a trained model."""

import logging
import os
from collections import defaultdict
from collections.abc import Iterable

from allennlp.data import Instance
from allennlp.models import Model
from allennlp.modules.token_embedders import Embedding
from allennlp.modules.token_embedders.embedding import EmbeddingsTextFile

from elmo_plugin.common.configuration_objects import iter_dicts
from elmo_plugin.experiments.runner.configurations import Configuration

logger = logging.getLogger(__name__)

NAMESPACE = "tokens"


def add_words_with_vectors(
    model: Model, config: Configuration, instances: Iterable[Instance]
) -> None:
    """
    Add those words of `instances` that have a static vector to the model's vocabulary, with that
    vector. Otherwise, a word that training has not seen would be unknown to a baseline, while ELMo
    reads its characters. AllenNLP counts the words of test data for the vocabulary.

    # Parameters

    model : `Model`
    config : `Dict[str, Any]`
        The model's configuration. Unless it has one `pretrained_file`, which exists, nothing is
        added, with a warning.
    instances : `Iterable[Instance]`
    """
    objects = iter_dicts(config["model"])
    files: set[str] = {item["pretrained_file"] for item in objects if item.get("pretrained_file")}
    if len(files) != 1 or not os.path.isfile(file := os.path.expanduser(files.pop())):
        logger.warning("words that are in the test data alone stay unknown: no file of vectors")
        return
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for instance in instances:
        instance.count_vocab_items(counts)
    with_vectors = _words(file)
    model.vocab.add_tokens_to_namespace(
        [word for word in counts[NAMESPACE] if word in with_vectors], NAMESPACE
    )
    for name, module in model.named_modules():
        if isinstance(module, Embedding) and module._vocab_namespace == NAMESPACE:
            module.extend_vocab(model.vocab, extension_pretrained_file=file, model_path=name)


def _words(file: str) -> set[str]:
    with EmbeddingsTextFile(file) as lines:
        return {line.split(" ", 1)[0] for line in lines}
