"""Fingerprints of text files, to tell which of them have changed."""

import os
from collections.abc import Iterable, Mapping
from typing import Union

from elmo_plugin.common.checksums import blake2b_of

FileFingerprint = list[Union[int, str]]
"""Size in bytes, and BLAKE2b of the contents."""

_MAX_NAMED = 5


def fingerprint(files: Iterable[str]) -> dict[str, FileFingerprint]:
    """
    Return size and digest of each file by name, as values that checkpoints and JSON can hold.
    Files are hashed as they are, without unzipping (about a gigabyte per second).
    """
    return {file: [os.path.getsize(file), blake2b_of(file)] for file in files}


def describe_changes(
    before: Mapping[str, FileFingerprint], now: Mapping[str, FileFingerprint]
) -> str:
    """
    Describe in one line which files were added, removed, renamed or changed; "" if none was.

    # Parameters

    before, now : `Mapping[str, FileFingerprint]`
        Results of `fingerprint`.
    """
    added = {file: now[file] for file in now if file not in before}
    changes = []
    for file, (size, digest) in before.items():
        if file in now:
            if now[file] != [size, digest]:
                changes.append(f"{file} has other contents ({size} bytes, now {now[file][0]})")
            continue
        renamed = next((name for name in added if added[name] == [size, digest]), None)
        if renamed is None:
            changes.append(f"{file} was removed")
        else:
            changes.append(f"{file} was renamed to {renamed}")
            del added[renamed]
    changes += [f"{file} was added" for file in added]
    more = [f"and {len(changes) - _MAX_NAMED} more"] if len(changes) > _MAX_NAMED else []
    return ", ".join(changes[:_MAX_NAMED] + more)
