"""Refuses damaged archives, and names them."""

import platform
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

from elmo_plugin.common.gzip_files import is_gzip
from elmo_plugin.compat.command import is_command_running
from elmo_plugin.compat.patching import patch_module, wrap
from elmo_plugin.compat.safety.archive_names import current_archive, names_of_archive
from elmo_plugin.compat.tar_files import change_tar_files


@patch_module("allennlp.models.archival")
def extract_inside_directory(module: Any) -> Iterator[None]:
    """Until Python 3.14, an archive may write files outside of the directory that it is extracted
    to."""
    yield
    changes: dict[str, Any] = {"extractall": _refuse}
    if hasattr(tarfile, "data_filter"):
        changes = {"extraction_filter": staticmethod(tarfile.data_filter)}
    change_tar_files(module, **changes)


def _refuse(archive: tarfile.TarFile, *_: Any, **__: Any) -> None:
    raise OSError(
        f"{archive.name!s}: expected a Python that extracts archives into one directory only "
        f"(3.10.12, 3.11.4 or later), found {platform.python_version()}"
    )


@wrap("allennlp.models.archival", "extracted_archive")
@contextmanager
def extract_undamaged_archives(
    original: Any, resolved_archive_file: str, cleanup: bool = True
) -> Iterator[str]:
    """AllenNLP extracts what is left of a damaged archive, with other weights than were stored."""
    from elmo_plugin.compat.safety.integrity import extraction

    with ExitStack() as stack:
        with extraction(resolved_archive_file):
            directory = stack.enter_context(original(resolved_archive_file, cleanup))
        yield directory


@wrap("allennlp.models.archival", "load_archive")
def load_checked_archives(
    original: Any,
    archive_file: Any,
    cuda_device: int = -1,
    overrides: Any = "",
    weights_file: Any = None,
) -> Any:
    """AllenNLP calls whatever an archive's configuration names, and accepts NaN in its weights."""
    from allennlp.common.checks import ConfigurationError

    from elmo_plugin.compat.safety import archive_files, integrity
    from elmo_plugin.compat.safety.built_in_bilm import explain_other_built_in_bilm

    errors = integrity.MISMATCH_ERRORS if is_command_running() else (ConfigurationError,)
    with (
        names_of_archive(archive_file),
        archive_files.open_archive(archive_file, errors) as directory,
    ):
        archive_files.read_config(directory)
        with explain_other_built_in_bilm(directory):
            archive = original(directory, cuda_device, overrides, weights_file)
        integrity.check_finite(archive.model)
    return archive


@wrap("allennlp.models.archival", "_check_version_compatibility")
def name_archive_of_other_version(original: Any, directory: Any, meta: Any) -> None:
    """AllenNLP's warning names the archive by where the patch above has extracted it to."""
    original(current_archive(), meta)


@wrap("allennlp.data.vocabulary", "cached_path")
def read_vocabularies_of_undamaged_archives(
    original: Any, path: Any, *args: Any, **options: Any
) -> Any:
    """A vocabulary may be read from an archive, which `cached_path` extracts."""
    from elmo_plugin.compat.safety.integrity import extraction

    file = original(str(path).partition("!")[0])
    with extraction(file) if is_gzip(file) else nullcontext():
        return original(path, *args, **options)
