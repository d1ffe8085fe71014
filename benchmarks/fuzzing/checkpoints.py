"""The directory of an interrupted training run, resumed with `--recover`."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import torch

from fuzzing.commands import elmo
from fuzzing.damage import damage_file
from fuzzing.damage_json import damage_json, damage_json_lines
from fuzzing.damage_text import damage_text
from fuzzing.damage_weights import damage_weights
from fuzzing.kind import Kind, check_equal, check_same

FOLDER = "training"


class _Training(Kind):
    """A resumed training must end with the weights of one that was never interrupted."""

    def write(self, directory: Path) -> None:
        shutil.copytree(self.material / "interrupted", directory / FOLDER)

    def run(self, rng: random.Random, directory: Path) -> None:
        elmo("train", self.material / "training.json", "-s", FOLDER, "--recover")
        found, expected = Path(FOLDER), self.material / "trained"
        check_same(_weights(found / "best.th"), _weights(expected / "best.th"), "best.th")
        check_equal(_metrics(found), _metrics(expected), "metrics.json")
        check_equal(_words(found), _words(expected), "vocabulary")

    def may_change(self, name: str, ended_well: bool) -> bool:
        # AllenNLP rewrites the other files on every start.
        return ended_well or not name.startswith(
            (f"{FOLDER}/model_state", f"{FOLDER}/training_state")
        )


class Checkpoints(_Training):
    name = "checkpoints"

    def damage(self, rng: random.Random, directory: Path) -> None:
        files = sorted((directory / FOLDER).glob("*_state_*.th"))
        newest = [file for file in files if file.stem.endswith("b4")]
        file = rng.choice((*newest, *newest, *files))
        way = rng.choice(("bytes", "bytes", "bytes", "content", "swap", "missing"))
        if way == "bytes":
            damage_file(rng, file)
        elif way == "content":
            damage_file(rng, file, (damage_weights,))
        elif way == "missing":
            file.unlink()
        else:
            other = rng.choice([one for one in files if one != file])
            content = file.read_bytes()
            file.write_bytes(other.read_bytes())
            other.write_bytes(content)


class TrainingFolder(_Training):
    """The other files in the directory."""

    name = "checkpoints: files beside"

    def damage(self, rng: random.Random, directory: Path) -> None:
        ways = {
            "vocabulary/bilm.txt": (damage_text,),
            "vocabulary/non_padded_namespaces.txt": (damage_text,),
            "curve.jsonl": (damage_json_lines, damage_text),
            "config.json": (damage_json,),
            "meta.json": (damage_json,),
        }
        name = rng.choice(sorted(ways))
        file = directory / FOLDER / name
        if rng.random() < 0.1:
            file.unlink()
        elif file.stat().st_size:
            damage_file(rng, file, ways[name])
        else:
            file.write_bytes(rng.choice((b"{", b'{"batch": 1}\n', b"[]\n", b"\xff\n", b"null\n")))


def _weights(file: Path) -> dict[str, torch.Tensor]:
    return torch.load(file, weights_only=True)


def _metrics(folder: Path) -> dict[str, Any]:
    metrics = json.loads((folder / "metrics.json").read_text())
    return {k: v for k, v in metrics.items() if "duration" not in k and "memory" not in k}


def _words(folder: Path) -> str:
    return (folder / "vocabulary" / "bilm.txt").read_text()
