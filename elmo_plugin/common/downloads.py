"""Files that may be given by URL."""

import os


def local_path(path: str) -> str:
    """
    Download a URL into AllenNLP's cache and return where it is; expand "~" in any other path.

    # Raises

    `FileNotFoundError` : nothing at that URL.
    """
    if "://" not in path:
        return os.path.expanduser(path)
    # Imported only here: reading local files must not need AllenNLP.
    from allennlp.common.file_utils import cached_path

    try:
        return cached_path(path)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{path}: expected a file, found none") from error
