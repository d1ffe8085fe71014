"""Most commands of `elmo`, with their arguments and options."""

from __future__ import annotations

import random
from typing import Union

from fuzzing.arguments import NAMES, Argument, count, name, number, one_of
from fuzzing.command_overrides import OVERRIDES

overrides = one_of(*OVERRIDES)
_out = name("out")
_bilm = name("exported")
_VECTORS = (one_of("--vectors"), name("vectors.txt"))
_BASELINES = (("--cove", name("cove.th")), ("--seed", number()), ("--bilm", _bilm))

Option = tuple[Union[str, Argument], ...]

COMMANDS: dict[str, tuple[tuple[Argument, ...], tuple[Option, ...]]] = {
    "train": (
        (name("config.json"), one_of("-s"), one_of("new", "folder", "text.txt", "", "trained")),
        (
            ("-o", overrides),
            ("-o", overrides),
            ("--recover",),
            ("--force",),
            ("--include-package", one_of("nope", "os", "json", "", "json.nope", "a-b")),
            ("--dry-run",),
            ("--file-friendly-logging",),
        ),
    ),
    "evaluate": (
        (name("model.tar.gz"), name("text.txt")),
        (
            ("--output-file", _out),
            ("--predictions-output-file", _out),
            ("--cuda-device", number(-1)),
            ("--batch-size", count()),
            ("-o", overrides),
            ("--weights-file", name("trained/best.th")),
        ),
    ),
    "predict": (
        (name("model.tar.gz"), name("lines.jsonl")),
        (
            ("--output-file", _out),
            ("--cuda-device", number(-1)),
            ("--batch-size", count()),
            ("--silent",),
            ("--use-dataset-reader",),
            ("--predictor", one_of("bilm", "x", "os.system", "")),
            ("-o", overrides),
            ("--weights-file", name("trained/best.th")),
        ),
    ),
    "perplexity": (
        (name("text.txt"), one_of("--bilm"), _bilm),
        (
            ("--unigram", name("text.txt")),
            ("--batch-size", count()),
            ("--cuda-device", number(-1)),
        ),
    ),
    "embed": (
        (name("text.txt"), _out, one_of("--bilm"), _bilm),
        (
            ("--float16",),
            ("--initial-state", one_of("warm", "zero", "carried")),
            ("-o", overrides),
            ("--cuda-device", number(-1)),
        ),
    ),
    "export": (
        (name("model.tar.gz"), _out),
        (("--float16",), ("--warm-state", name("text.txt"))),
    ),
    "import": ((name("exported"), _out), ()),
    "index": (
        (name("text.txt"), _out, one_of("--bilm"), _bilm),
        (("--layers", number("average")), ("--random", number())),
    ),
    "neighbors": (
        (
            *(name("index-files"), one_of("--query"), one_of("is", "", "x", "late")),
            *(one_of("It is late", "", " ", "x"), one_of("--vectors"), name("vectors.txt")),
        ),
        (("--top-k", number()), ("--out", _out)),
    ),
    "mix": (
        (lambda rng: rng.choice(("model.tar.gz", "ner.tar.gz", *NAMES)),),
        (("--out", _out), (name("ner.tar.gz"),)),
    ),
    "report": (
        (name("table.json"), one_of("--out"), _out),
        ((name("table.json"),), (name("."),)),
    ),
    "probe": (
        (name("words.conllu"), name("words.conllu"), *_VECTORS),
        (
            ("--column", one_of("upos", "form", "x", "")),
            ("--labels", name("labels.txt"), name("labels.txt")),
            ("--sentences", number(2)),
            ("--samples", count()),
            *_BASELINES,
            ("--out", _out),
        ),
    ),
    "senses": (
        (name("senses.jsonl"), name("senses.jsonl"), *_VECTORS),
        (
            ("--lemma", one_of("play.n", "x", "")),
            ("--first-senses", name("index.sense")),
            *_BASELINES,
            ("--out", _out),
        ),
    ),
    "curve": (
        (name("ner.json"), name("ner.json"), one_of("--seeds"), number()),
        (("--fractions", one_of("0", "-1", "2", "nan", "x", "0.5", "1")), ("--out", _out)),
    ),
    "layers": (
        (name("ner.json"), name("config.json"), one_of("--seeds"), number()),
        (("--fraction", one_of("0", "-1", "2", "nan", "x", "")), ("--overrides", overrides)),
    ),
    "placement": (
        (name("ner.json"), name("ner.json"), one_of("--seeds"), number()),
        (("--fraction", one_of("0", "-1", "2", "nan", "x")), ("--runs", name("runs"))),
    ),
    "info": ((one_of("exported", "trained", *NAMES),), (("--json",),)),
    "print-results": ((name("trained"),), (("--keys", one_of("x", "")),)),
    "": ((), ((one_of("x", "--version", "--help", "-x", "", "train", "--include-package"),),)),
}
"""Required arguments and options, by command."""

_FAST = tuple(name for name in COMMANDS if name not in ("curve", "layers", "placement"))


def command_line(rng: random.Random) -> list[str]:
    """Return a random command with random arguments."""
    name = rng.choice((*COMMANDS, *_FAST, *_FAST))
    required, options = COMMANDS[name]
    words = [name] if name else []
    for argument in required:
        if rng.random() < 0.98:
            words.append(argument(rng))
    for option in rng.sample(options, min(rng.choice((0, 1, 1, 2, 3)), len(options))):
        words += [part if isinstance(part, str) else part(rng) for part in option]
    if rng.random() < 0.03:
        words.insert(rng.randint(0, len(words)), rng.choice((*NAMES, "--x", "-x", "--help")))
    return words
