"""The names of training runs: task, configuration, seed and fingerprint."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from allennlp.common.checks import ConfigurationError

DIGITS = 12
"""Digits of the fingerprint in a training run's name."""

RUN, ARCHIVE, EVALUATION = ".json", ".tar.gz", ".test.json"
"""Suffixes of a training run's files."""

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


def finished_stems(directory: Path, key: str) -> list[str]:
    """
    Return the paths of a finished training run's files, without their suffix. Directories that
    were merged may have several: those with a score on test data come first, then those with an
    archive.
    """
    stems = [str(file).removesuffix(RUN) for file in directory.glob(f"*-{key[:DIGITS]}{RUN}")]

    def order(stem: str) -> tuple[bool, bool, str]:
        has_score, has_archive = (Path(f"{stem}{end}").exists() for end in (EVALUATION, ARCHIVE))
        return not has_score, not has_archive, stem

    return sorted(stems, key=order)
