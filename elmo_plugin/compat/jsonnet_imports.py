"""Reads the files that Jsonnet imports."""

import os


def read_import(folder: str, name: str) -> tuple[str, bytes]:
    """Read a file for Jsonnet's `import_callback`; by itself, Jsonnet aborts at a directory."""
    path = os.path.join(folder, name)
    with open(path, "rb") as file:
        return path, file.read()
