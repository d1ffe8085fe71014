"""Archives that do not fit the data, or lack a part that a command needs."""

import inspect
import os
from functools import wraps
from typing import Any

from elmo_plugin.compat.command import wrap_in_commands
from elmo_plugin.compat.configuration_error import configuration_error
from elmo_plugin.compat.patching import wrap

# Top-level keys of a configuration that AllenNLP reads beside the parameters of `TrainModel`.
_OTHER_KEYS = {
    *("type", "random_seed", "numpy_seed", "pytorch_seed"),
    *("distributed", "evaluation", "include_in_archive"),
}


def _mismatch_errors() -> tuple[type[Exception], ...]:
    """Return the errors of a model on data that do not fit its configuration or vocabulary."""
    from allennlp.common.checks import ConfigurationError

    return (AttributeError, ConfigurationError, LookupError, TypeError, ValueError)


@wrap_in_commands("allennlp.models.archival", "_load_dataset_readers")
def require_dataset_reader(original: Any, config: Any, serialization_dir: str) -> Any:
    """AllenNLP's error does not say that the archive's configuration has none."""
    from allennlp.common import Params
    from allennlp.models.archival import CONFIG_NAME

    reader = config.get("dataset_reader")
    if not isinstance(reader, Params) or config.get("validation_dataset_reader", reader) is None:
        path = os.path.join(serialization_dir, CONFIG_NAME)
        raise configuration_error(f"{path}: expected a dataset_reader, found none")
    return original(config, serialization_dir)


@wrap_in_commands("allennlp.models.archival", "_load_dataset_readers")
def refuse_unknown_overrides(original: Any, config: Any, serialization_dir: str) -> Any:
    """AllenNLP ignores top-level keys of overrides that it does not know."""
    from allennlp.commands.train import TrainModel
    from allennlp.common import Params
    from allennlp.models.archival import CONFIG_NAME

    archived = Params.from_file(os.path.join(serialization_dir, CONFIG_NAME))
    known = inspect.signature(TrainModel.from_partial_objects).parameters
    for key in sorted(config.keys() - archived.keys() - known.keys() - _OTHER_KEYS):
        raise configuration_error(
            "overrides: expected keys of a configuration, such as model and "
            f"validation_data_loader, found {key!r:.80}"
        )
    return original(config, serialization_dir)


@wrap_in_commands("allennlp.data.vocabulary", "Vocabulary.from_files")
def name_vocabulary_file(
    original: Any, cls: Any, directory: Any, *args: Any, **options: Any
) -> Any:
    """AllenNLP does not name a file that is not text, or has an empty line."""
    from elmo_plugin.compat.safety.archive_files import check_vocabulary

    if os.path.isdir(directory):
        check_vocabulary(directory)
    return original(cls, directory, *args, **options)


@wrap_in_commands("allennlp.commands.evaluate", "evaluate_from_archive")
def name_evaluated_archive(original: Any, *args: Any, **kwargs: Any) -> Any:
    """The archive's model may not fit the data, or lack the output that `--batch-weight-key`
    names."""
    from allennlp.common.checks import ConfigurationError

    from elmo_plugin.compat.safety.archive_files import archive_errors

    arguments = inspect.signature(original).bind(*args, **kwargs).arguments
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


@wrap("allennlp.commands.predict", "_get_predictor")
def name_predicting_archive(original: Any, args: Any) -> Any:
    """The model may be at fault, and not the line that it predicts from."""
    from elmo_plugin.compat.safety.archive_files import archive_errors

    predictor = original(args)
    archive, forward = args.archive_file, predictor._model.forward_on_instances

    @wraps(forward)
    def forward_on_instances(instances: Any) -> Any:
        with archive_errors(archive, archive, _mismatch_errors()):
            return forward(instances)

    predictor._model.forward_on_instances = forward_on_instances
    return predictor
