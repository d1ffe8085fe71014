"""The names of training runs: task, configuration, seed and fingerprint."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from allennlp.common.checks import ConfigurationError

# A training run's name: a seed, or the setting of a search, and the fingerprint.
RUN_NAME = re.compile(
    r"(?P<task>[^-]+)(-(?P<configuration>.+?))??(-(?P<seed>[0-9]+|search(?P<setting>[0-9]+)))?"
    r"-[0-9a-f]{12}",
    re.DOTALL,
)


def check_same_settings(records: Iterable[Path]) -> None:
    """
    Raise if records of a configuration differ in the setting of a search, or have the same seed:
    they are of several protocols.
    """
    settings: dict[tuple[str, str | None], set[str]] = {}
    by_seed: dict[tuple[str | None, ...], Path] = {}
    for record in records:
        parts = RUN_NAME.fullmatch(record.stem)
        if parts is None or parts["seed"] is None:
            continue
        name = parts["task"], parts["configuration"]
        if parts["setting"] is not None:
            settings.setdefault(name, set()).add(parts["setting"])
        other = by_seed.setdefault((*name, parts["seed"]), record)
        if other != record:
            raise ConfigurationError(
                f"{record}: expected another seed than that of {other}, found {parts['seed']}"
            )
    for name, found in settings.items():
        if len(found) > 1:
            raise ConfigurationError(
                f"{'-'.join(filter(None, name))}: expected runs of the setting that the search "
                f"chose, found those of settings {', '.join(sorted(found))}"
            )
