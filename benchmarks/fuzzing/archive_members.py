"""The members of a model.tar.gz, and their damage."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
from pathlib import Path
from typing import Any

from fuzzing.damage_json import damage_json
from fuzzing.damage_text import damage_text
from fuzzing.damage_weights import damage_weights
from fuzzing.hostile_configs import make_hostile

Members = dict[str, bytes]


def read_members(archive: Path) -> Members:
    with tarfile.open(archive) as tar:
        files = [member for member in tar.getmembers() if member.isfile()]
        return {member.name: tar.extractfile(member).read() for member in files}  # type: ignore


def write_members(members: Members, archive: Path) -> None:
    with tarfile.open(archive, "w:gz") as tar:
        for name, content in members.items():
            tar.addfile(make_member(name, content), io.BytesIO(content))


def make_member(name: str, content: bytes = b"", **attributes: Any) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for attribute, value in attributes.items():
        setattr(member, attribute, value)
    return member


def damage_config(rng: random.Random, members: Members) -> None:
    members["config.json"] = damage_json(rng, members["config.json"])


def damage_hostile_config(rng: random.Random, members: Members) -> None:
    members["config.json"] = make_hostile(rng, members["config.json"])


def damage_model(rng: random.Random, members: Members) -> None:
    members["weights.th"] = damage_weights(rng, members["weights.th"])


def damage_vocabulary(rng: random.Random, members: Members) -> None:
    name = rng.choice([name for name in members if name.startswith("vocabulary/")])
    members[name] = damage_text(rng, members[name])


def remove_members(rng: random.Random, members: Members) -> None:
    for name in rng.sample(sorted(members), rng.choice((1, 1, 2, len(members)))):
        del members[name]


def replace_member(rng: random.Random, members: Members) -> None:
    name = rng.choice([name for name in members if name != "weights.th"])
    members[name] = rng.choice((b"", rng.randbytes(50), gzip.compress(members[name])))
