"""Files of a directory before and after an attempt."""

from __future__ import annotations

import gc
import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path


def describe_losses(
    kept: Mapping[str, str], before: Mapping[str, str], after: Mapping[str, str], temporary: Path
) -> str:
    """Return which of the kept files were lost or changed, and which temporary ones are left."""
    # Temporary files may be held by reference cycles.
    if any(temporary.iterdir()):
        gc.collect()
    left = [name for name in after.keys() - before.keys() if _is_temporary(name)]
    problems = [f"{name} is gone" for name in sorted(kept.keys() - after.keys())]
    problems += [f"{n} changed" for n in sorted(kept) if after.get(n, kept[n]) != kept[n]]
    problems += [f"{name} was left" for name in sorted(left)]
    # PyTorch keeps a directory of compiled kernels.
    more = [path.name for path in temporary.iterdir() if not path.name.startswith("torchinductor_")]
    problems += [f"{name} was left in the temporary files" for name in more]
    return ", ".join(problems)


def _is_temporary(name: str) -> bool:
    # AllenNLP keeps a lock file with each vocabulary that it writes.
    if name.endswith("vocabulary/.lock"):
        return False
    return Path(name).name.startswith((".", "tmp")) or name.endswith((".tmp", ".part"))


def snapshot(directory: Path) -> dict[str, str]:
    """Return a digest of each file below a directory, or the target of a link."""
    found = {}
    for path in directory.rglob("*"):
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode):
            content = hashlib.blake2b(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(mode):
            content = f"link to {os.readlink(path)}"
        elif stat.S_ISDIR(mode):
            continue
        else:
            content = f"special file {stat.S_IFMT(mode)}"
        found[str(path.relative_to(directory))] = content
    return found
