"""Command lines of `elmo` with arguments that nobody should give."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fuzzing.archives import ARCHIVE
from fuzzing.commands import check_printed, elmo
from fuzzing.kind import MARKER, Kind

Argument = Callable[[random.Random], str]

_NAMES = (
    *("", ".", "..", "/", "nowhere", "nowhere/x", "folder", "folder/", "text.txt/", "text.txt/x"),
    *("*", "[", "folder/*", "~", "-", "--", "x" * 300, "\udcff", "é\n", "link", "dangling", "null"),
    *("text.txt", "empty.txt", "blank.txt", "binary", "picture.png", "object.json", "list.json"),
    *("vectors.txt", "one.txt", "words.conllu", "senses.jsonl", "table.json", "labels.txt"),
    *("lines.jsonl", "config.json", ARCHIVE, "exported", "exported/weights.hdf5", "index-files"),
    *("exported/options.json", "exported/softmax.hdf5", "index-files/index.json", "layers.hdf5"),
    *(
        "cove.th",
        "trained",
        "ner.json",
        "/proc/self/mem",
        "/proc/nowhere/x",
        "built-in/x",
        "dev.conll",
    ),
)
_NUMBERS = (
    *("-1", "0", "1", "2", "-0", "3.5", "nan", "inf", "1e3", "x", "", " ", "0x10", "२", "1_0"),
    *(str(2**31), str(2**32), str(2**63), str(2**64), str(-(2**63)), str(10**30), "9" * 5000),
)
# Numbers that say how much is to be done are small or wrong: much work is no hang.
_COUNTS = tuple(n for n in _NUMBERS if not n.isdecimal() or len(n) < 3)


def _name(good: str) -> Argument:
    return lambda rng: good if rng.random() < 0.7 else rng.choice(_NAMES)


def _number(good: object = 1) -> Argument:
    return lambda rng: str(good) if rng.random() < 0.4 else rng.choice(_NUMBERS)


def _count(good: object = 1) -> Argument:
    return lambda rng: str(good) if rng.random() < 0.4 else rng.choice(_COUNTS)


def _one_of(*values: str) -> Argument:
    return lambda rng: rng.choice(values)


_VALUES = {
    "trainer.num_epochs": (0, -1, 1.5, "x", None, True),
    "trainer.optimizer.lr": (-1, 0, 1e308, "x", None),
    "trainer.optimizer.type": ("os.system", "x", 3, "subprocess.Popen"),
    "trainer.callbacks": ([{"type": "bilm_curve", "every": 0}], [{"type": "x"}], 3, [None]),
    "trainer.checkpointer.save_every_num_batches": (0, -1, "x"),
    "trainer.checkpointer.keep_most_recent_by_count": (0, -1),
    "trainer.cuda_device": (0, 99, -2, "x"),
    "trainer.grad_norm": (-1, 0, "x", True),
    "trainer.patience": (0, -1, "x"),
    "trainer.validation_metric": ("perplexity", "-x", "", "+"),
    "trainer.type": ("gradient_descent", "x", None),
    "distributed": (3, {}, [], {"cuda_devices": []}, {"cuda_devices": [0, 0]}),
    "random_seed": (-1, 2**64, "x", 1.5),
    "numpy_seed": (-1, 2**32, 2**64),
    "pytorch_seed": (2**64, -(2**65), 2**63),
    "data_loader.batch_size": (0, -1, "x", 10**9, 1.5),
    "data_loader.unroll_steps": (0, -1, 10**9, "x"),
    "data_loader.batches_per_epoch": (0, -1, "x"),
    "data_loader.seed": (-1, 2**64, "x"),
    "data_loader.prefetch": (-1, "x"),
    "data_loader.type": ("multiprocess", "x"),
    "data_loader.x": (1,),
    "vocabulary.max_size": (-1, 0, 1, "x", 10**19),
    "vocabulary.min_count": (-1, 10**9, "x"),
    "vocabulary.type": ("from_files", "bilm_pretrained", "x"),
    "vocabulary.path": ("", "nowhere", "folder", "binary", 3, None),
    "train_data_path": ("", "nowhere", "folder", "binary", "empty.txt", "text.txt", 3, None),
    "validation_data_path": ("nowhere", "binary", None, 3),
    "dataset_reader.max_characters": (0, -1, 3, 10**9, "x", 10**19),
    "dataset_reader.type": ("snli", "x"),
    "dataset_reader.max_instances": (0, -1, 1, "x"),
    "model.dropout": (-1, 2, "x", None, float("nan")),
    "model.num_samples": (0, -1, 10**9, "x", None),
    "model.filters": ([], [[1, 0]], [[100, 4]], [[1, 2**31]], 3, "x"),
    "model.projection_dim": (0, -1, 2**31, 10**19, "x"),
    "model.num_layers": (0, -1, 10**9, "x"),
    "model.precision": ("x", None, "bfloat16"),
    "model.pretrained_file": ("", "nowhere", "exported", "folder", ARCHIVE, "binary", 3),
    "model.cell_clip": (-1, 0, 1e308, "x", float("nan")),
    "model.x": (1,),
    "model": (None, 3, [], {"type": "x"}),
}
_OVERRIDES = (
    *(json.dumps({key: value}) for key, values in _VALUES.items() for value in values),
    *("", "{", "[]", "3", "null", "x", '{"": 1}', '{"a.b.c": 1}', "import 'nowhere'", "error 'x'"),
)
_overrides = _one_of(*_OVERRIDES)
_out = _name("out")
_bilm = _name("exported")
_COMPARED = (("--vectors", _name("vectors.txt")),)
_BASELINES = (("--cove", _name("cove.th")), ("--seed", _number()), ("--bilm", _bilm))

# Of each command: what it has to be given, and what it may be.
COMMANDS: dict[str, tuple[tuple[Argument, ...], tuple[tuple[str | Argument, ...], ...]]] = {
    "train": (
        (_name("config.json"), _one_of("-s"), _one_of("new", "folder", "text.txt", "", "trained")),
        (
            ("-o", _overrides),
            ("-o", _overrides),
            ("--recover",),
            ("--force",),
            ("--include-package", _one_of("nope", "os", "json", "", "json.nope", "a-b")),
            ("--dry-run",),
            ("--file-friendly-logging",),
        ),
    ),
    "evaluate": (
        (_name(ARCHIVE), _name("text.txt")),
        (
            ("--output-file", _out),
            ("--predictions-output-file", _out),
            ("--cuda-device", _number(-1)),
            ("--batch-size", _count()),
            ("-o", _overrides),
            ("--weights-file", _name("trained/best.th")),
        ),
    ),
    "predict": (
        (_name(ARCHIVE), _name("lines.jsonl")),
        (
            ("--output-file", _out),
            ("--cuda-device", _number(-1)),
            ("--batch-size", _count()),
            ("--silent",),
            ("--use-dataset-reader",),
            ("--predictor", _one_of("bilm", "x", "os.system", "")),
            ("-o", _overrides),
            ("--weights-file", _name("trained/best.th")),
        ),
    ),
    "perplexity": (
        (_name("text.txt"), _one_of("--bilm"), _bilm),
        (
            ("--unigram", _name("text.txt")),
            ("--batch-size", _count()),
            ("--cuda-device", _number(-1)),
        ),
    ),
    "embed": (
        (_name("text.txt"), _out, _one_of("--bilm"), _bilm),
        (
            ("--float16",),
            ("--initial-state", _one_of("warm", "zero", "carried")),
            ("-o", _overrides),
            ("--cuda-device", _number(-1)),
        ),
    ),
    "export": (
        (_name(ARCHIVE), _out),
        (("--float16",), ("--warm-state", _name("text.txt"))),
    ),
    "import": ((_name("exported"), _out), ()),
    "index": (
        (_name("text.txt"), _out, _one_of("--bilm"), _bilm),
        (("--mix", _number("average")), ("--random", _number())),
    ),
    "neighbors": (
        (
            *(_name("index-files"), _one_of("--query"), _one_of("is", "", "x", "late")),
            *(_one_of("It is late", "", " ", "x"), _one_of("--vectors"), _name("vectors.txt")),
        ),
        (("--number", _number()), ("--out", _out)),
    ),
    "mix": (
        (lambda rng: rng.choice((ARCHIVE, "ner.tar.gz", *_NAMES)),),
        (("--out", _out), (_name("ner.tar.gz"),)),
    ),
    "report": (
        (_name("table.json"), _one_of("--out"), _out),
        ((_name("table.json"),), (_name("."),)),
    ),
    "probe": (
        (_name("words.conllu"), _name("words.conllu"), *(_one_of("--vectors"), _COMPARED[0][1])),
        (
            ("--column", _one_of("upos", "form", "x", "")),
            ("--labels", _name("labels.txt"), _name("labels.txt")),
            ("--sentences", _number(2)),
            ("--samples", _count()),
            *_BASELINES,
            ("--out", _out),
        ),
    ),
    "senses": (
        (_name("senses.jsonl"), _name("senses.jsonl"), _one_of("--vectors"), _COMPARED[0][1]),
        (
            ("--lemma", _one_of("play.n", "x", "")),
            ("--first-senses", _name("index.sense")),
            *_BASELINES,
            ("--out", _out),
        ),
    ),
    "curve": (
        (_name("ner.json"), _name("ner.json"), _one_of("--seeds"), _number()),
        (("--fractions", _one_of("0", "-1", "2", "nan", "x", "0.5", "1")), ("--out", _out)),
    ),
    "layers": (
        (_name("ner.json"), _name("config.json"), _one_of("--seeds"), _number()),
        (("--fraction", _one_of("0", "-1", "2", "nan", "x", "")), ("--overrides", _overrides)),
    ),
    "placement": (
        (_name("ner.json"), _name("ner.json"), _one_of("--seeds"), _number()),
        (("--fraction", _one_of("0", "-1", "2", "nan", "x")), ("--runs", _name("runs"))),
    ),
    "print-results": ((_name("trained"),), (("--keys", _one_of("x", "")),)),
    "": ((), ((_one_of("x", "--version", "--help", "-x", "", "train", "--include-package"),),)),
}
_FAST = tuple(name for name in COMMANDS if name not in ("curve", "layers", "placement"))


class CommandLines(Kind):
    """Files of every kind, and a command with some of them, or with others, and other options."""

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
        with suppress(OSError):  # a system may not allow it
            os.mknod(directory / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        self._damaged = False

    def damage(self, rng: random.Random, directory: Path) -> None:
        self._damaged = True

    def run(self, rng: random.Random, directory: Path) -> None:
        command = ["perplexity", "text.txt", "--bilm", "exported"]
        if self._damaged:
            command = command_line(rng)
        print(f"elmo {shlex.join(command)}")  # seen where one input is tried alone
        check_printed(elmo(*command), command[0] if command else "elmo")

    def may_change(self, name: str, ended_well: bool) -> bool:
        # `train` and `export` write more than one file, and into folders that are there.
        return ended_well


def command_line(rng: random.Random) -> list[str]:
    name = rng.choice((*COMMANDS, *_FAST, *_FAST))
    needed, optional = COMMANDS[name]
    words = [name] if name else []
    for argument in needed:
        if rng.random() < 0.98:
            words.append(argument(rng))
    for option in rng.sample(optional, min(rng.choice((0, 1, 1, 2, 3)), len(optional))):
        words += [part if isinstance(part, str) else part(rng) for part in option]
    if rng.random() < 0.03:
        words.insert(rng.randint(0, len(words)), rng.choice((*_NAMES, "--x", "-x", "--help")))
    return words


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
    # Names of modules within packages, which are not meant.
    **dict.fromkeys(("decoder.py", "tool.py", "models.py"), f"open({MARKER!r}, 'w')\n".encode()),
}
