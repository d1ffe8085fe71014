"""A kind of input that is one file."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import ClassVar

from fuzzing.damage import Bytes, damage_file
from fuzzing.damage_text import damage_text
from fuzzing.kind import Kind, Refused


class SingleFile(Kind):
    """One file of the material, damaged as text."""

    errors = (ValueError, OSError, Refused)
    file: ClassVar[str]
    ways: ClassVar[tuple[Bytes, ...]] = (damage_text,)

    def write(self, directory: Path) -> None:
        shutil.copy(self.material / self.file, directory)

    def damage(self, rng: random.Random, directory: Path) -> None:
        damage_file(rng, directory / self.file, self.ways)
