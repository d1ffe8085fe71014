"""So that an archive is believed only when it is whole, and is named when it is not."""

import inspect
import os
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import wraps
from types import SimpleNamespace
from typing import Any

from elmo_plugin.compat.patches.archive_names import current_archive, names_of_archive
from elmo_plugin.compat.patching import patch_module


@patch_module("allennlp.models.archival")
def extract_archives_in_their_place(module: Any) -> Iterator[None]:
    """Until Python 3.14, an archive may write files outside the directory it is extracted to."""
    yield
    if hasattr(tarfile, "data_filter"):
        inside = {"extraction_filter": staticmethod(tarfile.data_filter)}
        module.tarfile = type("TarFile", (tarfile.TarFile,), inside)


@patch_module("allennlp.models.archival")
def extract_whole_archives(module: Any) -> Iterator[None]:
    """AllenNLP extracts what is left of a damaged archive, with other weights than were stored."""
    yield
    from elmo_plugin.compat.integrity import extraction

    original = module.extracted_archive

    @contextmanager
    def extracted_archive(resolved_archive_file: str, cleanup: bool = True) -> Iterator[str]:
        with ExitStack() as stack:
            with extraction(resolved_archive_file):
                directory = stack.enter_context(original(resolved_archive_file, cleanup))
            yield directory

    module.extracted_archive = extracted_archive


@patch_module("allennlp.models.archival")
def load_checked_archives(module: Any) -> Iterator[None]:
    """AllenNLP builds what an archive holds, whatever that is, and fails where it does."""
    yield
    original, check_version = module.load_archive, module._check_version_compatibility

    @wraps(original)
    def load_archive(
        archive_file: Any, cuda_device: int = -1, overrides: Any = "", weights_file: Any = None
    ) -> Any:
        from elmo_plugin.compat import archives, integrity

        with names_of_archive(archive_file), archives.opened_archive(archive_file) as directory:
            archives.read_config(directory)
            archive = original(directory, cuda_device, overrides, weights_file)
            integrity.check_numbers(archive.model)
        return archive

    module.load_archive = load_archive
    module._check_version_compatibility = lambda _, meta: check_version(current_archive(), meta)


@patch_module("allennlp.models.archival")
def expect_a_dataset_reader(module: Any) -> Iterator[None]:
    """Without one, AllenNLP fails with an error that does not say so."""
    yield
    from allennlp.common import Params
    from allennlp.common.checks import ConfigurationError

    original = module._load_dataset_readers

    @wraps(original)
    def _load_dataset_readers(config: Any, serialization_dir: str) -> Any:
        reader = config.get("dataset_reader")
        if (
            not isinstance(reader, Params)
            or config.get("validation_dataset_reader", reader) is None
        ):
            path = os.path.join(serialization_dir, module.CONFIG_NAME)
            raise ConfigurationError(f"{path}: expected a dataset_reader, found none")
        return original(config, serialization_dir)

    module._load_dataset_readers = _load_dataset_readers


@patch_module("allennlp.commands.evaluate")
def name_the_archive_that_is_evaluated(module: Any) -> Iterator[None]:
    """AllenNLP builds an archive's evaluator and data loader after it has loaded the rest."""
    yield

    def named(key: str, from_params: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(from_params)
        def build(params: Any, **extras: Any) -> Any:
            from allennlp.common.checks import ConfigurationError

            from elmo_plugin.compat.archives import errors_of_archive

            archive = str(current_archive())
            with errors_of_archive(archive, archive):
                if params is None:
                    raise ConfigurationError(f"expected a {key} in the configuration, found none")
                return from_params(params, **extras)

        return build

    for key, kind in (("data_loader", module.DataLoader), ("evaluation", module.Evaluator)):
        stand_in = SimpleNamespace(from_params=named(key, kind.from_params))
        setattr(module, kind.__name__, stand_in)


def _misfits() -> tuple[type[Exception], ...]:
    """Errors of a model on data that its archive's configuration or vocabulary does not fit."""
    from allennlp.common.checks import ConfigurationError

    return (ConfigurationError, LookupError, TypeError, ValueError)


@patch_module("allennlp.commands.evaluate")
def name_the_archive_that_does_not_fit_data(module: Any) -> Iterator[None]:
    """Such as one without a label that the data have."""
    yield
    original = module.evaluate_from_archive
    signature = inspect.signature(original)

    @wraps(original)
    def evaluate_from_archive(*args: Any, **kwargs: Any) -> Any:
        from elmo_plugin.compat.archives import errors_of_archive

        archive = signature.bind(*args, **kwargs).arguments["archive_file"]
        with errors_of_archive(archive, archive, _misfits()):
            return original(*args, **kwargs)

    module.evaluate_from_archive = evaluate_from_archive


@patch_module("allennlp.commands.predict")
def name_the_archive_that_does_not_predict(module: Any) -> Iterator[None]:
    """The model may be at fault, not the line that it predicts from."""
    yield
    original = module._get_predictor

    @wraps(original)
    def _get_predictor(args: Any) -> Any:
        from elmo_plugin.compat.archives import errors_of_archive

        predictor = original(args)
        archive, forward = args.archive_file, predictor._model.forward_on_instances

        def forward_on_instances(instances: Any) -> Any:
            with errors_of_archive(archive, archive, _misfits()):
                return forward(instances)

        predictor._model.forward_on_instances = forward_on_instances
        return predictor

    module._get_predictor = _get_predictor


@patch_module("allennlp.data.vocabulary")
def read_vocabularies_that_are_text(module: Any) -> Iterator[None]:
    """AllenNLP does not name the file that is no text, nor that with an empty line."""
    yield
    original = module.Vocabulary.from_files.__func__

    @wraps(original)
    def from_files(cls: Any, directory: Any, *args: Any, **options: Any) -> Any:
        from elmo_plugin.compat.archives import check_vocabulary

        if os.path.isdir(directory):
            check_vocabulary(directory)
        return original(cls, directory, *args, **options)

    module.Vocabulary.from_files = classmethod(from_files)


@patch_module("allennlp.data.vocabulary")
def read_vocabularies_of_whole_archives(module: Any) -> Iterator[None]:
    """A vocabulary may be taken from an archive, which is extracted elsewhere for this."""
    yield
    original = module.cached_path

    @wraps(original)
    def cached_path(path: Any, *args: Any, **options: Any) -> Any:
        from elmo_plugin.compat.integrity import extraction, is_gzip

        file = original(str(path).partition("!")[0])
        with extraction(file) if is_gzip(file) else nullcontext():
            return original(path, *args, **options)

    module.cached_path = cached_path
