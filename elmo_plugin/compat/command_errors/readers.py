"""Data files that their reader cannot read."""

from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

_SENTIMENTS = ("0", "1", "2", "3", "4")


@patch_module("allennlp.data.dataset_readers.dataset_reader")
def name_unreadable_files(module: Any) -> Iterator[None]:
    """A reader's error for data in another format names neither file nor line. A reader that finds
    nothing raises no error, and training fails later."""
    yield
    original = module.DatasetReader.read

    def checked(self: Any, file_path: Any) -> Iterator[Any]:
        from elmo_plugin.compat.command_errors.reading import Reading

        return Reading(self, file_path).instances(original(self, file_path))

    module.DatasetReader.read = in_commands(checked, otherwise=original)


@patch_module("allennlp.training.util")
def require_dataset_reader(module: Any) -> Iterator[None]:
    """AllenNLP makes no reader from `null`, and fails when it reads."""
    yield
    original = module.data_loaders_from_params

    def checked(params: Any, *args: Any, **kwargs: Any) -> Any:
        if params.get("dataset_reader") is None:
            raise module.ConfigurationError("dataset_reader: expected an object, found none")
        return original(params, *args, **kwargs)

    module.data_loaders_from_params = in_commands(checked, otherwise=original)


@patch_module("allennlp.data.data_loaders.multiprocess_data_loader")
def name_invalid_instances(module: Any) -> Iterator[None]:
    """Errors for instances that lack a field of others, such as their label, and for labels that
    the vocabulary lacks do not name the file."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.MultiProcessDataLoader.index_with

    def checked(self: Any, vocab: Any) -> None:
        check_fields(self)
        try:
            original(self, vocab)
        except KeyError as error:
            number = sum(instance.indexed for instance in self._instances) + 1
            raise ConfigurationError(
                f"{self.data_path}, instance {number}: expected labels of the vocabulary, found "
                f"another: {error.args[0]}"
            ) from error

    def check_fields(loader: Any) -> None:
        instances = loader._instances or []  # none if the loader reads them in each epoch
        for number, instance in enumerate(instances, 1):
            if instance.fields.keys() != instances[0].fields.keys():
                raise ConfigurationError(
                    f"{loader.data_path}, instance {number}: expected the fields of the first one "
                    f"({', '.join(sorted(instances[0]))}), found {', '.join(sorted(instance))}"
                )

    module.MultiProcessDataLoader.index_with = in_commands(checked, otherwise=original)


@patch_module("allennlp_models.classification.dataset_readers.stanford_sentiment_tree_bank")
def require_sentiments(module: Any) -> Iterator[None]:
    """AllenNLP takes any label of a tree for a class of its own, and no label, too."""
    yield
    reader = module.StanfordSentimentTreeBankDatasetReader
    original = reader.text_to_instance

    def checked(self: Any, tokens: Any, sentiment: Any = None) -> Any:
        if sentiment is not None and sentiment not in _SENTIMENTS:
            raise module.ConfigurationError(
                f"expected a sentiment from 0 to 4, found {sentiment!r:.80}"
            )
        if not tokens:
            raise module.ConfigurationError("expected at least one token, found none")
        return original(self, tokens, sentiment)

    reader.text_to_instance = in_commands(checked, otherwise=original)
