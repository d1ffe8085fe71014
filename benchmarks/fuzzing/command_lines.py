"""Command lines of `elmo` with right and wrong arguments."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from fuzzing.archives import ARCHIVE
from fuzzing.command_options import command_line
from fuzzing.commands import check_printed, elmo
from fuzzing.kind import MARKER, Kind


class CommandLines(Kind):
    """Files of every kind, and a command with right and wrong arguments."""

    name = "command lines"

    def write(self, directory: Path) -> None:
        for name in ("exported", "index-files", "trained"):
            shutil.copytree(self.material / name, directory / name)
        for name in _COPIED:
            shutil.copy(self.material / name, directory)
        shutil.copy(self.material / "heldout.txt", directory / "text.txt")
        shutil.copy(self.material / "training.json", directory / "config.json")
        shutil.copy(self.material / "data" / "ner" / "dev.conll", directory)
        for name, content in _CONTENTS.items():
            (directory / name).write_bytes(content)
        (directory / "folder").mkdir()
        (directory / "folder" / "kept.txt").write_text("Kept .\n")
        (directory / "link").symlink_to("text.txt")
        (directory / "dangling").symlink_to("nowhere")
        with suppress(OSError):  # needs a permission
            os.mknod(directory / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        self._damaged = False

    def damage(self, rng: random.Random, directory: Path) -> None:
        self._damaged = True

    def run(self, rng: random.Random, directory: Path) -> None:
        command = ["perplexity", "text.txt", "--bilm", "exported"]
        if self._damaged:
            command = command_line(rng)
        print(f"elmo {shlex.join(command)}")  # shown by `fuzz.py --number`
        check_printed(elmo(*command), command[0] if command else "elmo")

    def may_change(self, name: str, ended_well: bool) -> bool:
        # `train` and `export` write into existing folders.
        return ended_well


_COPIED = (
    *(ARCHIVE, "vectors.txt", "words.conllu", "senses.jsonl", "table.json", "labels.txt"),
    *("index.sense", "layers.hdf5", "cove.th", "ner.json", "ner.tar.gz"),
)
_CONTENTS = {
    "empty.txt": b"",
    "blank.txt": b" \n\n",
    "binary": bytes(range(256)) * 4,
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(40),
    "object.json": b"{}\n",
    "list.json": b"[1]\n",
    "lines.jsonl": b'{"sentence": "It is late ."}\n',
    "one.txt": b"1 2\n",
    # Modules of the working directory, which must not be imported.
    **dict.fromkeys(("decoder.py", "tool.py", "models.py"), f"open({MARKER!r}, 'w')\n".encode()),
}
