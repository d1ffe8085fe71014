"""Archives of models: their bytes, their members, and what else a tar file may hold."""

from __future__ import annotations

import io
import random
import shutil
import tarfile
from pathlib import Path
from typing import Any

from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.models.loading import load_language_model
from fuzzing.archive_members import (
    damage_config,
    damage_hostile_config,
    damage_model,
    damage_vocabulary,
    make_member,
    read_members,
    remove_members,
    replace_member,
    write_members,
)
from fuzzing.commands import check_printed, elmo
from fuzzing.damage import damage_file
from fuzzing.kind import MARKER, Kind, check_equal, check_finite, check_same

ARCHIVE = "model.tar.gz"
_TASK_DAMAGES = (damage_config, damage_hostile_config, damage_model, damage_vocabulary)
_MEMBER_DAMAGES = (damage_config, *_TASK_DAMAGES, remove_members, replace_member)


class _Archive(Kind):
    """A biLM's archive, loaded and read by a command."""

    checksummed = True
    """True if accepted input must have the undamaged values."""

    def __init__(self, material: Path) -> None:
        super().__init__(material)
        self._expected, self._words = load_language_model(str(material / ARCHIVE))

    def write(self, directory: Path) -> None:
        for name in (ARCHIVE, "heldout.txt"):
            shutil.copy(self.material / name, directory)
        (directory / "lines.jsonl").write_text('{"sentence": "It is late ."}\n')

    def run(self, rng: random.Random, directory: Path) -> None:
        self._check(*load_language_model(ARCHIVE))
        command: tuple[str, ...] = rng.choice(
            (
                ("perplexity", "heldout.txt", "--bilm", ARCHIVE),
                ("embed", "heldout.txt", "out.hdf5", "--bilm", ARCHIVE),
                ("export", ARCHIVE, "out"),
                ("predict", ARCHIVE, "lines.jsonl"),
                ("evaluate", ARCHIVE, "heldout.txt"),
            )
        )
        check_printed(elmo(*command), command[0])

    def _check(self, model: LanguageModel, words: list[str]) -> None:
        check_finite(model.state_dict().values(), "weights")
        if self.checksummed:
            check_same(model.state_dict(), self._expected.state_dict(), ARCHIVE)
            check_equal(words, self._words, "vocabulary")


class ArchiveBytes(_Archive):
    name = "archive: bytes"

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / ARCHIVE)


class ArchiveMembers(_Archive):
    """Members that are damaged before they are archived, so that checksums hold."""

    name = "archive: members"
    checksummed = False

    def damage(self, rng: random.Random, directory: Path) -> None:
        members = read_members(directory / ARCHIVE)
        rng.choice(_MEMBER_DAMAGES)(rng, members)
        write_members(members, directory / ARCHIVE)


class ArchiveTar(_Archive):
    """Links, devices and names outside of the archive, in addition to members or instead."""

    name = "archive: tar"

    def damage(self, rng: random.Random, directory: Path) -> None:
        members = read_members(directory / ARCHIVE)
        member, content = _hostile_member(rng, directory)
        style = rng.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
        with tarfile.open(directory / ARCHIVE, "w:gz", format=style) as archive:
            if rng.random() < 0.5:
                archive.addfile(member, io.BytesIO(content))
            for name, whole in members.items():
                archive.addfile(make_member(name, whole), io.BytesIO(whole))
            archive.addfile(member, io.BytesIO(content))


class ArchiveCommands(Kind):
    """Archives of a task model, read by `predict`, `evaluate` and `mix`."""

    name = "archive: of a task"

    def write(self, directory: Path) -> None:
        shutil.copy(self.material / "ner.tar.gz", directory / ARCHIVE)
        shutil.copy(self.material / "data" / "ner" / "dev.conll", directory)
        (directory / "lines.jsonl").write_text('{"sentence": "Clara left Oslo ."}\n')

    def damage(self, rng: random.Random, directory: Path) -> None:
        members = read_members(directory / ARCHIVE)
        rng.choice(_TASK_DAMAGES)(rng, members)
        write_members(members, directory / ARCHIVE)

    def run(self, rng: random.Random, directory: Path) -> None:
        command = rng.choice(
            (
                ("mix", ARCHIVE),
                ("predict", ARCHIVE, "lines.jsonl"),
                ("evaluate", ARCHIVE, "dev.conll"),
            )
        )
        check_printed(elmo(*command), command[0])


def _hostile_member(rng: random.Random, directory: Path) -> tuple[tarfile.TarInfo, bytes]:
    name = rng.choice(
        (
            *(f"../{MARKER}", f"../../input/{MARKER}", str(directory / MARKER)),
            *(f"vocabulary/../../{MARKER}", f"link/{MARKER}", "config.json", "weights.th"),
            *("vocabulary/tokens.txt", "x" * 300, "a/" * 200 + "b", "\udcff", "", ".", "link"),
        )
    )
    target = rng.choice(("/etc/passwd", str(directory), "..", "config.json", "nowhere", name))
    kinds: tuple[dict[str, Any], ...] = (
        {"type": tarfile.SYMTYPE, "linkname": target},
        {"type": tarfile.LNKTYPE, "linkname": target},
        {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3},
        {"type": tarfile.BLKTYPE, "devmajor": 7, "devminor": 0},
        {"type": tarfile.FIFOTYPE},
        {"type": tarfile.DIRTYPE, "mode": 0},
        {"type": tarfile.CONTTYPE},
        {"type": b"Q"},
    )
    if name not in ("config.json", "weights.th") and rng.random() < 0.5:
        return make_member(name, b"x", mode=rng.choice((0o644, 0o4755, 0))), b"x"
    return make_member(name, **rng.choice(kinds)), b""
