"""The systems that a comparison trains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from elmo_plugin.experiments.runner.configurations import Configuration, read_configuration

Change = Callable[[Configuration, int], Configuration]
"""Takes an evaluated configuration and the seed that it is trained with."""


def unchanged(config: Configuration, seed: int) -> Configuration:
    """Return the configuration."""
    return config


@dataclass(frozen=True)
class System:
    """
    A task model.

    # Parameters

    path : `str`
        Its configuration.
    overrides : `str`, optional (default = `"{}"`)
        Jsonnet that extends it, after the overrides of the comparison.
    change : `Callable[[Dict[str, Any], int], Dict[str, Any]]`, optional
        Changes what `read` returns, given the seed.
    searched : `System`, optional
        The system whose search chooses the settings of this one; by default, it has its own search.
    """

    path: str
    overrides: str = "{}"
    change: Change = unchanged
    searched: Optional[System] = None

    def read(self, overrides: str, grid_point: Optional[int]) -> Configuration:
        """Evaluate the configuration, extended by the overrides of a comparison."""
        return read_configuration(self.path, f"({overrides}) + ({self.overrides})", grid_point)


def shared_searches(systems: Mapping[str, System]) -> dict[str, str]:
    """
    Return the systems without a search of their own: by name, that of the configuration which is
    searched in their place.
    """
    searched = {name: system.searched for name, system in systems.items()}
    return {name: Path(one.path).stem for name, one in searched.items() if one is not None}
