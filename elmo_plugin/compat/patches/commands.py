"""So that AllenNLP's commands say what is wrong with what they are given."""

import json
import os
from collections.abc import Iterator
from functools import wraps
from types import SimpleNamespace
from typing import Any

from elmo_plugin.compat.patching import patch_module

_MOST_GPUS = 127  # of which torch keeps the number in a byte


@patch_module("allennlp.common.params")
def name_overrides_that_do_not_fit(module: Any) -> Iterator[None]:
    """Overrides that are no object, or of something that is not in the configuration, end in errors
    of Python's own; a configuration that is no object does so later."""
    yield
    parse, merge = module.parse_overrides, module.with_overrides
    from_file = module.Params.from_file.__func__

    @wraps(parse)
    def parse_overrides(serialized_overrides: str, *args: Any, **kwargs: Any) -> Any:
        return _object("overrides", parse(serialized_overrides, *args, **kwargs))

    @wraps(merge)
    def with_overrides(*args: Any, **kwargs: Any) -> Any:
        try:
            return merge(*args, **kwargs)
        except ValueError as error:
            raise module.ConfigurationError(str(error)) from error

    @wraps(from_file)
    def params_from_file(cls: Any, params_file: Any, *args: Any, **kwargs: Any) -> Any:
        # Of a file that cannot be read, jsonnet aborts the process.
        if os.path.isfile(params_file):
            _read_a_byte(params_file)
        params = from_file(cls, params_file, *args, **kwargs)
        _object(params_file, params.params)
        return params

    def _object(name: Any, content: Any) -> Any:
        if not isinstance(content, dict):
            raise module.ConfigurationError(f"{name}: expected an object, got {content!r:.80}")
        return content

    def _read_a_byte(path: Any) -> None:
        try:
            with open(path, "rb") as file:
                file.read(1)
        except OSError as error:
            raise module.ConfigurationError(f"{path}: {error.strerror}") from error

    module.parse_overrides = parse_overrides
    module.with_overrides = with_overrides
    module.Params.from_file = classmethod(params_from_file)


@patch_module("allennlp.common.util")
def count_gpus_alone(module: Any) -> Iterator[None]:
    """A device's number is, to AllenNLP, that of a GPU; to today's torch, that of any accelerator,
    and where there is none, AllenNLP cannot even ask whether it is there."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.int_to_device

    @wraps(original)
    def int_to_device(device: Any) -> Any:
        if isinstance(device, int) and device >= 0:
            # torch takes 256 for 0.
            if device > _MOST_GPUS:
                raise ConfigurationError(f"cuda_device: expected a GPU's number, got {device}")
            return module.torch.device("cuda", device)
        return original(device)

    module.int_to_device = int_to_device


@patch_module("allennlp.commands")
def name_packages_that_are_not_there(module: Any) -> Iterator[None]:
    """`--include-package` of what cannot be imported."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.import_module_and_submodules

    @wraps(original)
    def import_module_and_submodules(package_name: str) -> None:
        argument = f"--include-package {package_name}"
        if not all(part.isidentifier() for part in package_name.split(".")):
            raise ConfigurationError(f"{argument}: expected the name of a package")
        try:
            original(package_name)
        except ModuleNotFoundError as error:
            raise ConfigurationError(f"{argument}: {error}") from error

    module.import_module_and_submodules = import_module_and_submodules


@patch_module("allennlp.commands.predict")
def name_lines_that_cannot_be_predicted(module: Any) -> Iterator[None]:
    """AllenNLP fails on them with errors that name neither the line nor what is wrong in it."""
    yield
    from elmo_plugin.compat.predict_manager import PredictManager

    module._PredictManager = PredictManager


@patch_module("allennlp.commands.predict")
def name_predictors_that_cannot_be_made(module: Any) -> Iterator[None]:
    """AllenNLP calls whatever a dotted name stands for, with whatever arguments."""
    yield
    original = module._get_predictor

    @wraps(original)
    def _get_predictor(args: Any) -> Any:
        if args.predictor and not _is_predictor(args.predictor):
            raise module.ConfigurationError(
                f"--predictor {args.predictor}: expected the name of a predictor"
            )
        try:
            return original(args)
        except TypeError as error:
            if args.predictor_args:
                argument = f"--predictor-args {args.predictor_args}"
                raise module.ConfigurationError(f"{argument}: {error}") from error
            raise

    def _is_predictor(name: str) -> bool:
        if not all(name.split(".")):  # which Python would import relative to nothing
            return False
        found, _ = module.Predictor.resolve_class_name(name)
        return isinstance(found, type) and issubclass(found, module.Predictor)

    module._get_predictor = _get_predictor


@patch_module("allennlp.evaluation.evaluator")
def name_weights_that_a_model_does_not_give(module: Any) -> Iterator[None]:
    """`--batch-weight-key` of something that is not among a model's outputs."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.SimpleEvaluator.__call__

    @wraps(original)
    def __call__(
        self: Any,
        model: Any,
        data_loader: Any,
        batch_weight_key: Any = None,
        *args: Any,
        **rest: Any,
    ) -> Any:
        try:
            return original(self, model, data_loader, batch_weight_key, *args, **rest)
        except KeyError as error:
            if error.args != (batch_weight_key,):
                raise
            raise ConfigurationError(
                f"--batch-weight-key {batch_weight_key}: expected the name of an output of "
                f"{type(model).__name__}"
            ) from error

    module.SimpleEvaluator.__call__ = __call__


@patch_module("allennlp.commands.diff")
def compare_whole_numbers_too(module: Any) -> Iterator[None]:
    """A biLM's weights have some, of which torch has no mean squared difference."""
    yield
    original = module.read_state_dict

    @wraps(original)
    def read_state_dict(*args: Any, **kwargs: Any) -> dict[str, Any]:
        return {name: weight.float() for name, weight in original(*args, **kwargs).items()}

    module.read_state_dict = read_state_dict


@patch_module("allennlp.commands.print_results")
def name_metrics_that_are_none(module: Any) -> Iterator[None]:
    """A file of this name may be something else."""
    yield
    from allennlp.common.checks import ConfigurationError

    def load(file: Any) -> Any:
        try:
            content = json.load(file)
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(f"{file.name}: expected JSON, found: {error}") from error
        if not isinstance(content, dict):
            raise ConfigurationError(f"{file.name}: expected an object, found {content!r:.80}")
        return content

    module.json = SimpleNamespace(load=load)


@patch_module("allennlp.commands.find_learning_rate")
def expect_a_trainer(module: Any) -> Iterator[None]:
    """Which `find-lr` reads the device from, before all else."""
    yield
    original = module.find_learning_rate_model

    @wraps(original)
    def find_learning_rate_model(params: Any, *args: Any, **kwargs: Any) -> None:
        if not isinstance(params.get("trainer"), module.Params):
            raise module.ConfigurationError(
                f"trainer: expected an object, got {params.get('trainer')!r:.80}"
            )
        original(params, *args, **kwargs)

    module.find_learning_rate_model = find_learning_rate_model


@patch_module("allennlp.training.util")
def expect_a_dataset_reader(module: Any) -> Iterator[None]:
    """AllenNLP makes no reader from `null`, and fails when it reads."""
    yield
    original = module.data_loaders_from_params

    @wraps(original)
    def data_loaders_from_params(params: Any, *args: Any, **kwargs: Any) -> Any:
        if params.get("dataset_reader") is None:
            raise module.ConfigurationError("dataset_reader: expected an object, found none")
        return original(params, *args, **kwargs)

    module.data_loaders_from_params = data_loaders_from_params
