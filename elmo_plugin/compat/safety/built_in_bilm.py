"""Recognizes archives that were trained with the built-in biLM of another version."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

from allennlp.common.checks import ConfigurationError
from allennlp.nn.util import read_state_dict

from elmo_plugin.common.configuration_objects import elmo_embedders
from elmo_plugin.compat.safety.archive_files import CONFIG
from elmo_plugin.compat.safety.integrity import MISMATCH_ERRORS, PathLike
from elmo_plugin.weights.options import read_options
from elmo_plugin.weights.resolve import BUILT_IN_FOLDER, OPTIONS

_WEIGHTS = ("weights.th", "best.th")
_PROJECTION = ".bilm.lstm.layers.0.projection"  # shape (directions, cells, projection)


@contextmanager
def explain_other_built_in_bilm(directory: PathLike) -> Iterator[None]:
    """
    Explain an error of the block that loads an archive, if the archive was trained with a built-in
    biLM of another size. Its configuration does not name the files of a built-in biLM.

    # Parameters

    directory : `str` or `PathLike`
        Directory of the archive's files.

    # Raises

    `ConfigurationError` : the block raised one of `MISMATCH_ERRORS`, and the biLMs differ in size.
    """
    try:
        yield
    except MISMATCH_ERRORS as error:
        expected = 2 * read_options(BUILT_IN_FOLDER / OPTIONS).projection_dim
        found = _dimensions(Path(directory)) if _uses_built_in(Path(directory)) else None
        if found in (None, expected):
            raise
        raise ConfigurationError(
            f"{directory}: expected the built-in biLM of this version, with {expected} dimensions, "
            f"found one with {found}: pass the options_file and weight_file that it was trained "
            "with by --overrides, or train again"
        ) from error


def _uses_built_in(directory: Path) -> bool:
    config = json.loads((directory / CONFIG).read_text(encoding="utf-8"))
    return any(not item.get("weight_file") for item in elmo_embedders(config, "elmo"))


def _dimensions(directory: Path) -> Optional[int]:
    """Return the dimensions of each layer of an archive's biLM; `None` without weights of one."""
    files = [path for name in _WEIGHTS if (path := directory / name).is_file()]
    states = (read_state_dict(file) for file in files)
    found = (w for state in states for name, w in state.items() if name.endswith(_PROJECTION))
    projection = next(found, None)
    return None if projection is None else 2 * projection.shape[-1]
