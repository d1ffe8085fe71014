"""So that an archive is believed only when it is whole, and is named when it is not."""

import os
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from types import SimpleNamespace
from typing import Any

from elmo_plugin.compat.patches.archive_names import current_archive, names_of_archive
from elmo_plugin.compat.patching import around


@around("allennlp.models.archival")
def extract_archives_in_their_place(module: Any) -> Iterator[None]:
    """Until Python 3.14, an archive may write files outside the directory it is extracted to."""
    yield
    if hasattr(tarfile, "data_filter"):
        inside = {"extraction_filter": staticmethod(tarfile.data_filter)}
        module.tarfile = type("TarFile", (tarfile.TarFile,), inside)


@around("allennlp.models.archival")
def extract_whole_archives(module: Any) -> Iterator[None]:
    """AllenNLP extracts what is left of a damaged archive, with other weights than were stored."""
    yield
    from allennlp.common.checks import ConfigurationError

    from elmo_plugin.compat.integrity import ARCHIVE_DUE, check_gzip

    original = module.extracted_archive

    @contextmanager
    def extracted_archive(resolved_archive_file: str, cleanup: bool = True) -> Iterator[str]:
        check_gzip(resolved_archive_file)
        with ExitStack() as stack:
            try:
                directory = stack.enter_context(original(resolved_archive_file, cleanup))
            except (tarfile.TarError, MemoryError, ValueError) as error:
                problem = f"{resolved_archive_file}: {ARCHIVE_DUE}, found: {error}"
                raise ConfigurationError(problem) from error
            yield directory

    module.extracted_archive = extracted_archive


@around("allennlp.models.archival")
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
            archives.check_vocabulary(directory)
            archive = original(directory, cuda_device, overrides, weights_file)
            integrity.check_numbers(archive.model)
        return archive

    module.load_archive = load_archive
    module._check_version_compatibility = lambda _, meta: check_version(current_archive(), meta)


@around("allennlp.models.archival")
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


@around("allennlp.commands.evaluate")
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


@around("allennlp.data.vocabulary")
def read_vocabularies_of_whole_archives(module: Any) -> Iterator[None]:
    """A vocabulary may be taken from an archive, which is extracted elsewhere for this."""
    yield
    original = module.cached_path

    @wraps(original)
    def cached_path(path: Any, *args: Any, **options: Any) -> Any:
        from elmo_plugin.compat.integrity import check_gzip, is_gzip

        file = original(str(path).partition("!")[0])
        if is_gzip(file):
            check_gzip(file)
        return original(path, *args, **options)

    module.cached_path = cached_path
