"""Archives that do not fit the data, or lack a part that a command needs."""

import inspect
import os
from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.command import in_commands
from elmo_plugin.compat.patching import patch_module

# Top-level keys of a configuration that AllenNLP reads beside the parameters of `TrainModel`.
_OTHER_KEYS = {
    *("type", "random_seed", "numpy_seed", "pytorch_seed"),
    *("distributed", "evaluation", "include_in_archive"),
}


def _mismatch_errors() -> tuple[type[Exception], ...]:
    """Return the errors of a model on data that do not fit its configuration or vocabulary."""
    from allennlp.common.checks import ConfigurationError

    return (AttributeError, ConfigurationError, LookupError, TypeError, ValueError)


@patch_module("allennlp.models.archival")
def require_dataset_reader(module: Any) -> Iterator[None]:
    """AllenNLP's error does not say that the archive's configuration has none."""
    yield
    from allennlp.common import Params

    original = module._load_dataset_readers

    def checked(config: Any, serialization_dir: str) -> Any:
        reader = config.get("dataset_reader")
        if (
            not isinstance(reader, Params)
            or config.get("validation_dataset_reader", reader) is None
        ):
            path = os.path.join(serialization_dir, module.CONFIG_NAME)
            raise module.ConfigurationError(f"{path}: expected a dataset_reader, found none")
        return original(config, serialization_dir)

    module._load_dataset_readers = in_commands(checked, otherwise=original)


@patch_module("allennlp.models.archival")
def refuse_unknown_overrides(module: Any) -> Iterator[None]:
    """AllenNLP ignores top-level keys of overrides that it does not know."""
    yield
    original = module._load_dataset_readers

    def checked(config: Any, serialization_dir: str) -> Any:
        from allennlp.commands.train import TrainModel  # which imports this module

        archived = module.Params.from_file(os.path.join(serialization_dir, module.CONFIG_NAME))
        known = inspect.signature(TrainModel.from_partial_objects).parameters
        for key in sorted(config.keys() - archived.keys() - known.keys() - _OTHER_KEYS):
            raise module.ConfigurationError(
                "overrides: expected keys of a configuration, such as model and "
                f"validation_data_loader, found {key!r:.80}"
            )
        return original(config, serialization_dir)

    module._load_dataset_readers = in_commands(checked, otherwise=original)


@patch_module("allennlp.data.vocabulary")
def name_vocabulary_file(module: Any) -> Iterator[None]:
    """AllenNLP does not name a file that is not text, or has an empty line."""
    yield
    original = module.Vocabulary.from_files.__func__

    def checked(cls: Any, directory: Any, *args: Any, **options: Any) -> Any:
        from elmo_plugin.compat.safety.archive_files import check_vocabulary

        if os.path.isdir(directory):
            check_vocabulary(directory)
        return original(cls, directory, *args, **options)

    module.Vocabulary.from_files = classmethod(in_commands(checked, otherwise=original))


@patch_module("allennlp.commands.evaluate")
def name_evaluated_archive(module: Any) -> Iterator[None]:
    """The archive's model may not fit the data, or lack the output that `--batch-weight-key`
    names."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.evaluate_from_archive
    signature = inspect.signature(original)

    def checked(*args: Any, **kwargs: Any) -> Any:
        from elmo_plugin.compat.safety.archive_files import archive_errors

        arguments = signature.bind(*args, **kwargs).arguments
        archive, key = arguments["archive_file"], arguments.get("batch_weight_key")
        try:
            with archive_errors(archive, archive, _mismatch_errors()):
                return original(*args, **kwargs)
        except ConfigurationError as error:
            cause = error.__cause__
            if key and isinstance(cause, KeyError) and cause.args == (key,):
                raise ConfigurationError(
                    f"--batch-weight-key {key}: expected the name of an output of the model"
                ) from cause
            data = tuple(arguments["input_file"].split(","))
            if isinstance(cause, ConfigurationError) and str(cause).startswith(data):
                raise cause from cause.__cause__  # the data are at fault
            raise

    module.evaluate_from_archive = in_commands(checked, otherwise=original)


@patch_module("allennlp.commands.predict")
def name_predicting_archive(module: Any) -> Iterator[None]:
    """The model may be at fault, and not the line that it predicts from."""
    yield
    original = module._get_predictor

    @wraps(original)
    def _get_predictor(args: Any) -> Any:
        from elmo_plugin.compat.safety.archive_files import archive_errors

        predictor = original(args)
        archive, forward = args.archive_file, predictor._model.forward_on_instances

        @wraps(forward)
        def forward_on_instances(instances: Any) -> Any:
            with archive_errors(archive, archive, _mismatch_errors()):
                return forward(instances)

        predictor._model.forward_on_instances = forward_on_instances
        return predictor

    module._get_predictor = _get_predictor
