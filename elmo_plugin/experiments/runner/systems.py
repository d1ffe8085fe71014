"""The systems that a comparison trains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from allennlp.common.checks import ConfigurationError

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


def choose_systems(
    known: Sequence[str], names: Optional[Sequence[str]], always: Sequence[str]
) -> list[str]:
    """
    Return the names of a comparison's systems, in their order.

    # Parameters

    known : `Sequence[str]`
        All systems.
    names : `Sequence[str]`, optional
        Those that `--systems` names; by default, all.
    always : `Sequence[str]`
        Systems that are compared in any case.

    # Raises

    `ConfigurationError` : unknown `names`.
    """
    if names is None:
        return [*known]
    if unknown := sorted({*names} - {*known}):
        raise ConfigurationError(f"--systems: expected some of {[*known]}, found {unknown}")
    return [name for name in known if name in (*always, *names)]
