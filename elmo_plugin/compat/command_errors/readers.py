"""Data files that their reader cannot read."""

from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.configuration_error import configuration_error

_SENTIMENTS = ("0", "1", "2", "3", "4")


@wrap_in_commands("allennlp.data.dataset_readers.dataset_reader", "DatasetReader.read")
def name_unreadable_files(original: Any, self: Any, file_path: Any) -> Iterator[Any]:
    """A reader's error for data in another format names neither file nor line. A reader that finds
    nothing raises no error, and training fails later."""
    from elmo_plugin.compat.command_errors.reading import Reading

    return Reading(self, file_path).instances(original(self, file_path))


@wrap_in_commands("allennlp.training.util", "data_loaders_from_params")
def require_dataset_reader(original: Any, params: Any, *args: Any, **kwargs: Any) -> Any:
    """AllenNLP makes no reader from `null`, and fails when it reads."""
    if params.get("dataset_reader") is None:
        raise configuration_error("dataset_reader: expected an object, found none")
    return original(params, *args, **kwargs)


@wrap_in_commands(
    "allennlp.data.data_loaders.multiprocess_data_loader", "MultiProcessDataLoader.index_with"
)
def name_invalid_instances(original: Any, self: Any, vocab: Any) -> None:
    """Errors for instances that lack a field of others, such as their label, and for labels that
    the vocabulary lacks do not name the file."""
    _check_fields(self)
    try:
        original(self, vocab)
    except KeyError as error:
        number = sum(instance.indexed for instance in self._instances) + 1
        raise configuration_error(
            f"{self.data_path}, instance {number}: expected labels of the vocabulary, found "
            f"another: {error.args[0]}"
        ) from error


def _check_fields(loader: Any) -> None:
    instances = loader._instances or []  # none if the loader reads them in each epoch
    for number, instance in enumerate(instances, 1):
        if instance.fields.keys() != instances[0].fields.keys():
            raise configuration_error(
                f"{loader.data_path}, instance {number}: expected the fields of the first one "
                f"({', '.join(sorted(instances[0]))}), found {', '.join(sorted(instance))}"
            )


@wrap_in_commands(
    "allennlp_models.classification.dataset_readers.stanford_sentiment_tree_bank",
    "StanfordSentimentTreeBankDatasetReader.text_to_instance",
)
def require_sentiments(original: Any, self: Any, tokens: Any, sentiment: Any = None) -> Any:
    """AllenNLP takes any label of a tree for a class of its own, and no label, too."""
    if sentiment is not None and sentiment not in _SENTIMENTS:
        raise configuration_error(f"expected a sentiment from 0 to 4, found {sentiment!r:.80}")
    if not tokens:
        raise configuration_error("expected at least one token, found none")
    return original(self, tokens, sentiment)
