"""Compression of archives."""

import tarfile
from collections.abc import Iterator
from typing import Any

from elmo_plugin.compat.patching import patch_module
from elmo_plugin.compat.tar_files import change_tar_files

_LEVEL = 1


@patch_module("allennlp.models.archival")
def compress_at_the_fastest_level(module: Any) -> Iterator[None]:
    """float32 weights that were float16, as the built-in biLM's, take many times as long at gzip's
    level 9, which is tarfile's default, and become hardly smaller."""
    yield
    change_tar_files(module, gzopen=classmethod(_gzopen))


def _gzopen(
    cls: type[Any],
    /,
    name: Any,
    mode: str = "r",
    fileobj: Any = None,
    compresslevel: int = _LEVEL,
    **options: Any,
) -> Any:
    opened: Any = tarfile.TarFile.gzopen
    return opened.__func__(cls, name, mode, fileobj, compresslevel, **options)
