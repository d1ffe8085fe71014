"""Changes of how a module reads and writes tar files."""

from typing import Any


def change_tar_files(module: Any, **changes: Any) -> None:
    """Replace attributes of `tarfile.TarFile` for one module that imports `tarfile`."""
    found = getattr(module.tarfile, "TarFile", module.tarfile)
    module.tarfile = type("TarFile", (found,), changes)
