"""model.tar.gz: its bytes, the members in it, and what may be in a tar file beside them."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import random
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.models.loading import load_language_model
from fuzzing.commands import check_printed, elmo
from fuzzing.damage import damage_file, damage_json, damage_text
from fuzzing.kind import MARKER, Kind, check_equal, check_finite, check_same

ARCHIVE = "model.tar.gz"
Members = dict[str, bytes]


class _Archive(Kind):
    """An archive, to its model or through a command."""

    checksummed = True
    """True if accepted input must give the undamaged values."""

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
    """Members that are damaged before they are archived: no checksum tells."""

    name = "archive: members"
    checksummed = False

    def damage(self, rng: random.Random, directory: Path) -> None:
        members = read_members(directory / ARCHIVE)
        rng.choice((_config, _config, _hostile_config, _weights, _vocabulary, _missing, _bytes))(
            rng, members
        )
        write_members(members, directory / ARCHIVE)


class ArchiveTar(_Archive):
    """Links, devices, and names that lead elsewhere, beside the members or in their place."""

    name = "archive: tar"

    def damage(self, rng: random.Random, directory: Path) -> None:
        members = read_members(directory / ARCHIVE)
        member, content = _hostile_member(rng, directory)
        style = rng.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
        with tarfile.open(directory / ARCHIVE, "w:gz", format=style) as archive:
            if rng.random() < 0.5:
                archive.addfile(member, io.BytesIO(content))
            for name, whole in members.items():
                archive.addfile(_member(name, whole), io.BytesIO(whole))
            archive.addfile(member, io.BytesIO(content))


class ArchiveCommands(Kind):
    """Archives of task models with hostile configurations, through `predict`, `evaluate`, `mix`."""

    name = "archive: of a task"

    def write(self, directory: Path) -> None:
        shutil.copy(self.material / "ner.tar.gz", directory / ARCHIVE)
        shutil.copy(self.material / "data" / "ner" / "dev.conll", directory)
        (directory / "lines.jsonl").write_text('{"sentence": "Clara left Oslo ."}\n')

    def damage(self, rng: random.Random, directory: Path) -> None:
        members = read_members(directory / ARCHIVE)
        rng.choice((_config, _hostile_config, _weights, _vocabulary))(rng, members)
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


def read_members(archive: Path) -> Members:
    with tarfile.open(archive) as tar:
        files = [member for member in tar.getmembers() if member.isfile()]
        return {member.name: tar.extractfile(member).read() for member in files}  # type: ignore


def write_members(members: Members, archive: Path) -> None:
    with tarfile.open(archive, "w:gz") as tar:
        for name, content in members.items():
            tar.addfile(_member(name, content), io.BytesIO(content))


def _member(name: str, content: bytes = b"", **facts: Any) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for fact, value in facts.items():
        setattr(member, fact, value)
    return member


def _config(rng: random.Random, members: Members) -> None:
    members["config.json"] = damage_json(rng, members["config.json"])


def _hostile_config(rng: random.Random, members: Members) -> None:
    config = json.loads(members["config.json"])
    places = list(_objects(config))
    rng.choice(places).update(_hostile_object(rng))
    if rng.random() < 0.3:
        config[rng.choice(("model", "dataset_reader", "vocabulary"))] = _hostile_object(rng)
    members["config.json"] = json.dumps(config).encode()


def _hostile_object(rng: random.Random) -> dict[str, Any]:
    """Configurations that would write the marker if they were built."""
    # The working directory is the input's.
    touch = f"touch {MARKER}"
    return rng.choice(
        (
            {"type": "os.system", "command": touch},
            {"type": "os.mkdir", "path": MARKER},
            {"type": "os.makedirs", "name": MARKER},
            {"type": "os.mkfifo", "path": MARKER},
            {"type": "posix.system", "command": touch},
            {"type": "subprocess.Popen", "args": ["touch", MARKER]},
            {"type": "subprocess.getoutput", "cmd": touch},
            {"type": "subprocess.check_call", "popenargs": [touch]},
            {"type": "builtins.open", "file": MARKER, "mode": "w"},
            {"type": "builtins.exec", "source": f"open({MARKER!r}, 'w')"},
            {"type": "pathlib.Path.touch", "self": MARKER},
            {"type": "shutil.rmtree", "path": "."},
            {"type": "shutil.copy", "src": "heldout.txt", "dst": MARKER},
            {"type": "logging.FileHandler", "filename": MARKER},
            {"type": "allennlp.common.util.os.system", "command": touch},
            {"type": "allennlp.commands.train.train_model_from_file"},
            {"type": "elmo_plugin.common.atomic_write.atomic_write", "path": MARKER},
            {"type": "torch.hub.load", "repo_or_dir": ".", "model": "x", "source": "local"},
            {"type": "timeit.timeit", "stmt": f"open({MARKER!r}, 'w')"},
        )
    )


def _objects(value: Any) -> list[dict[str, Any]]:
    inner = value.values() if isinstance(value, dict) else value
    below = [one for item in inner if isinstance(item, (dict, list)) for one in _objects(item)]
    return [value, *below] if isinstance(value, dict) else below


class _Payload:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {MARKER}",)


def _weights(rng: random.Random, members: Members) -> None:
    members["weights.th"] = damage_weights(rng, members["weights.th"])


def damage_weights(rng: random.Random, data: bytes) -> bytes:
    """Saved tensors that are no longer those that are expected."""
    state = torch.load(io.BytesIO(data), weights_only=True)
    if not isinstance(state, dict) or not all(map(torch.is_tensor, state.values())):
        return rng.choice((pickle.dumps(_Payload()), _saved({"x": _Payload()})))
    name = rng.choice(list(state))
    tensor = state[name]
    changes: tuple[Callable[[], Any], ...] = (
        lambda: _set(tensor, float("nan"), rng),
        lambda: _set(tensor, float("inf"), rng),
        lambda: state.pop(name),
        lambda: state.update(extra=torch.zeros(2)),
        lambda: state.update({name: tensor[None]}),
        lambda: state.update({name: tensor.new_zeros(0)}),
        lambda: state.update({name: torch.zeros(3, 5)}),
        lambda: state.update({name: "text"}),
        lambda: state.update({name: None}),
        lambda: state.update({name: tensor.to(torch.complex64)}),
        lambda: state.update({name: tensor.to(torch.bool)}),
        lambda: state.update({name: tensor.to_sparse()}),
        lambda: state.update({name: torch.empty(tensor.shape, device="meta")}),
        lambda: state.update({3: tensor}),
    )
    if rng.random() < 0.3:
        return rng.choice(
            (
                pickle.dumps(_Payload()),
                _saved(_Payload()),
                _saved({name: _Payload()}),
                _saved([1, 2]),
                _saved(tensor),
                _saved({}),
                pickle.dumps(state, protocol=4)[:200],
                b"",
                data[: rng.randrange(len(data))],
            )
        )
    rng.choice(changes)()
    return _saved(state)


def _set(tensor: torch.Tensor, value: float, rng: random.Random) -> None:
    if tensor.is_floating_point() and tensor.numel():
        tensor.view(-1)[rng.randrange(tensor.numel())] = value


def _saved(content: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()


def _vocabulary(rng: random.Random, members: Members) -> None:
    name = rng.choice([name for name in members if name.startswith("vocabulary/")])
    members[name] = damage_text(rng, members[name])


def _missing(rng: random.Random, members: Members) -> None:
    for name in rng.sample(sorted(members), rng.choice((1, 1, 2, len(members)))):
        del members[name]


def _bytes(rng: random.Random, members: Members) -> None:
    name = rng.choice([name for name in members if name != "weights.th"])
    members[name] = rng.choice((b"", rng.randbytes(50), gzip.compress(members[name])))


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
        return _member(name, b"x", mode=rng.choice((0o644, 0o4755, 0))), b"x"
    return _member(name, **rng.choice(kinds)), b""
