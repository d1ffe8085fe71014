"""Every command and snippet of README.md runs, on the fixtures and with tiny sizes."""

from __future__ import annotations

import gzip
import json
import re
import runpy
import shutil
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import _jsonnet
import pytest
import torch
from allennlp.common.plugins import import_plugins

from elmo_plugin.__main__ import main
from elmo_plugin.compat.jsonnet_imports import read_import
from tests.helpers.readme import Block, blocks, inline_commands, mentioned, record
from tests.helpers.untrained import write_bilm

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"
README = (ROOT / "README.md").read_text(encoding="utf-8")

NOT_RUN = {
    r"(PYTHON=\S+ )?(TORCH=\S+ )?make install": "changes the environment",
    r"make (test|lint|demo|smoke|test-tensorflow)\b": "targets of the continuous integration",
    r"(\.venv/bin/)?python -m pytest": "runs this suite",
    r"(\.venv/bin/)?(python -m )?pip install": "changes the environment; .ci/smoke runs it",
    r"python -m allennlp$": "a note on start-up; see tests/compat/test_working_directory.py",
    r"elmo train .*--recover$": "see tests/training/test_recover.py",
    r"benchmarks/tasks\.sh": "six tasks; see tests/commands/test_tasks.py",
    r"elmo fine-tuning": "see tests/commands/test_fine_tuning.py",
    r"benchmarks/(play|bilm)\.py$": "see tests/test_benchmarks.py and the card of the biLM",
    r"benchmarks/main_job\.sh": "trains for a day; fixtures/demo.sh has the same steps",
    r"python benchmarks/(fuzz|soak)\.py": "see tests/test_benchmarks.py",
}
"""Patterns of commands that this test does not run, and why."""

TINY_TASK = {"dataset_reader.max_instances": 8, "trainer.num_epochs": 1}
TINY_BILM = {
    "model.filters": [[1, 4], [2, 4]],
    "model.projection_dim": 4,
    "model.cell_dim": 8,
    "model.num_samples": 16,
    "data_loader.batch_size": 4,
    "data_loader.batches_per_epoch": 5,
    "trainer.num_epochs": 1,
}
TINY_OVERRIDES = """
{
  paths+:: {
    snli: { train: 'fixtures/snli/train.jsonl', dev: 'fixtures/snli/dev.jsonl' },
    srl: { train: 'fixtures/srl/train', dev: 'fixtures/srl/dev' },
    ner: { train: 'fixtures/ner/train.conll', dev: 'fixtures/ner/dev.conll' },
    vectors: { file: 'fixtures/vectors/vectors.16d.txt', dim: 16 },
    bilm: {
      dim: 64,
      options_file: 'fixtures/bilm/options.json',
      weight_file: 'fixtures/bilm/weights.hdf5',
    },
  },
  dataset_reader+: { max_instances: 8 },
  sizes+:: { hidden: 4, layers: 2, predicate: 3, character: 4, character_filters: 4 },
  trainer+: { num_epochs: 1 },
}
"""
FILES = {
    "benchmarks/data.libsonnet": TINY_OVERRIDES,
    "benchmarks/two_cores.libsonnet": "{ snli: {}, srl: {} }",
    "my-paths.libsonnet": TINY_OVERRIDES,
    "config.jsonnet": "import 'training_configs/ner/baseline.jsonnet'",
}
"""Files of the working directory, in the place of the user's or of the public data."""

ARGUMENTS = {
    "BASELINE": ["training_configs/ner/baseline.jsonnet"],
    "ELMO": ["training_configs/ner/elmo.jsonnet"],
    "ELMO…": ["training_configs/ner/elmo.jsonnet", "training_configs/ner/elmo_output.jsonnet"],
    "ARCHIVE…": [str(next((ROOT / "results" / "runs").glob("ner-*-lambda-1-1-*.json")))],
    "TEXT": ["text/heldout.txt.gz"],
    "INDEX": ["index"],
    "FILE": ["fixtures/vectors/vectors.16d.txt"],
    "WORD": ["is"],
    "SENTENCE": ["It is late ."],
}
"""Placeholders in commands."""

ARGUMENTS_OF = {
    "elmo probe": {"TRAIN": ["words.conllu"], "TEST": ["words.conllu"]},
    "elmo index": {"INDEX": ["new-index"]},
    "elmo senses": {"TRAIN": ["senses.jsonl"], "TEST": ["senses.jsonl"]},
}
OPTIONS = {"--seeds": ["1"], "--sentences": ["4"], "--batch-size": ["2"], "--sizes": ["small"]}
"""Smaller values of options."""

OVERRIDES = {"my-bilm.jsonnet": TINY_BILM, "finetune": TINY_BILM}
"""Overrides of `elmo train`, by a part of the configuration's name; `TINY_TASK` of all others."""

ADDED = {
    "elmo layers": ["--overrides", TINY_OVERRIDES],
    "elmo placement": ["--overrides", TINY_OVERRIDES],
    "elmo curve": ["--overrides", TINY_OVERRIDES],
    "python benchmarks/training.py": [
        "--words",
        "50",
        "--samples",
        "8",
        "--rounds",
        "1",
        "--threads",
        "1",
    ],
    "python benchmarks/recurrence_ablation.py": ["--sizes", "8,4,4,5", "--rounds", "1"],
    "python benchmarks/inference.py": ["--sizes", "medium", "--rounds", "1", "--threads", "1"],
}
"""Options added to commands that do not have them."""

SHELL = blocks(README, "sh")
JSONNET = blocks(README, "jsonnet")
PYTHON = blocks(README, "python")
INLINE = inline_commands(README)


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with everything that the commands read."""
    directory = tmp_path_factory.mktemp("readme")
    import_plugins()
    for name in ("training_configs", "fixtures"):
        (directory / name).symlink_to(ROOT / name)
    for name in ("benchmarks", "results"):
        shutil.copytree(ROOT / name, directory / name)
    for name, content in FILES.items():
        (directory / name).write_text(content, encoding="utf-8")
    for block in JSONNET:
        if "lm: {" in block.text and "start::" not in block.text:
            (directory / "my-bilm.jsonnet").write_text(block.text, encoding="utf-8")
    write_texts(directory)
    write_bilm(FIXTURES / "lm" / "heldout.txt", directory / "my-bilm")
    run(directory, ["elmo", "index", "text/heldout.txt.gz", "index", "--bilm", "my-bilm"])
    return directory


def write_texts(directory: Path) -> None:
    for folder in ("text", "data/lm", "data/pos", "data/wsd", "data/vectors"):
        (directory / folder).mkdir(parents=True)
    lines = [*islice((FIXTURES / "lm" / "train.txt").open(encoding="utf-8"), 60)]
    lines = [*lines, "They play in the garden .\n"]
    names = [f"data/lm/train-{i:02}-of-16.txt.gz" for i in range(16)]
    for name in ("text/train-1.txt.gz", "text/train-2.txt.gz", "text/heldout.txt.gz", *names):
        (directory / name).write_bytes(gzip.compress("".join(lines).encode()))
    for name in ("words.conllu", "en_ewt-ud-dev.conllu", "data/pos/en_ewt-ud-train.conllu"):
        (directory / name).write_text("".join(map(to_conllu, lines)), encoding="utf-8")
    shutil.copy(directory / "words.conllu", directory / "data/pos/en_ewt-ud-dev.conllu")
    senses = "".join(f"{json.dumps(line)}\n" for line in SENSES).encode()
    (directory / "senses.jsonl").write_bytes(senses)
    for part in ("train", "dev"):
        file = directory / "data" / "wsd" / f"semcor.{part}.jsonl.gz"
        file.write_bytes(gzip.compress(senses))
    vectors = (FIXTURES / "vectors" / "vectors.16d.txt").read_bytes()
    vectors += b"play" + b" 0.5" * 16 + b"\n"
    (directory / "data" / "vectors" / "vectors.100d.txt.gz").write_bytes(gzip.compress(vectors))


def to_conllu(line: str) -> str:
    rows = enumerate(line.split(), start=1)
    label = {True: "NOUN", False: "VERB"}
    return (
        "".join(
            f"{i}\t{word}\t_\t{label[word[0].isupper()]}\t_\t_\t_\t_\t_\t_\n" for i, word in rows
        )
        + "\n"
    )


SENSES = [
    {
        "tokens": tokens.split(),
        "senses": [{"start": 1, "end": 2, "lemma": "play", "pos": "n", "sense": sense}],
    }
    for tokens, sense in (("the play ends", "play%1:10:01::"), ("a play wins", "play%1:04:01::"))
]


@pytest.fixture
def directory(material: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the material as the working directory."""
    copy = tmp_path / "readme"
    shutil.copytree(material, copy, symlinks=True)
    monkeypatch.chdir(copy)
    monkeypatch.setenv("ALLENNLP_LOG_LEVEL", "WARNING")
    threads = torch.get_num_threads()
    yield copy
    torch.set_num_threads(threads)


def run(directory: Path, command: list[str]) -> None:
    """Run a command in this process."""
    program, *arguments = command
    script = None if program in ("elmo", "allennlp") else arguments.pop(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        patch.setattr(sys, "argv", [script or program, *arguments])
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        try:
            main() if script is None else runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            assert end.code in (0, None), f"{command}: {end.code}"


def reason_not_to_run(command: str) -> str | None:
    reasons = (reason for pattern, reason in NOT_RUN.items() if re.match(pattern, command))
    return next(reasons, None)


def shrink(command: list[str]) -> list[str]:
    """Return the command with smaller sizes, and with arguments for placeholders."""
    name = " ".join(command[:2])
    placeholders = {**ARGUMENTS, **ARGUMENTS_OF.get(name, {})}
    words: list[str] = []
    is_replaced = False
    for word in command:
        is_replaced = is_replaced and not word.startswith("--")
        if not is_replaced:
            words += [*placeholders.get(word, [word]), *OPTIONS.get(word, [])]
        is_replaced = is_replaced or word in OPTIONS
    added = ADDED.get(name, [])
    if added and added[0] not in words:
        words += added
    if name in ("elmo train", "allennlp train"):
        overrides = [tiny for part, tiny in OVERRIDES.items() if part in command[2]]
        words += ["-o", json.dumps(*(overrides or [TINY_TASK]))]
    return words


def run_script(script: str, directory: Path) -> None:
    for command in record(script, directory, scripts=["benchmarks/tasks.sh"]):
        if reason_not_to_run(" ".join(command)) is None:
            run(directory, shrink(command))


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.heading)
def test_shell_block_runs(block: Block, directory: Path) -> None:
    run_script(block.text, directory)


@pytest.mark.parametrize("command", [c for c in INLINE if reason_not_to_run(c) is None])
def test_inline_command_runs(command: str, directory: Path) -> None:
    run_script(command.replace(" …", " config.jsonnet -s run"), directory)


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.heading)
def test_python_snippet_runs(block: Block, directory: Path) -> None:
    exec(compile(block.text, block.heading, "exec"), {})


@pytest.mark.parametrize("block", JSONNET, ids=lambda block: block.heading)
def test_jsonnet_snippet_evaluates(block: Block, directory: Path) -> None:
    is_fragment = not block.text.startswith("(import")
    text = f"{{ {block.text} }}" if is_fragment else block.text
    config = json.loads(_jsonnet.evaluate_snippet("", text, import_callback=read_import))
    assert config["dataset_reader"]


def test_reasons_are_for_commands_in_the_readme() -> None:
    commands = [*INLINE, *(line for block in SHELL for line in block.text.splitlines())]
    for pattern in NOT_RUN:
        assert any(re.match(pattern, command) for command in commands), pattern


@pytest.mark.parametrize("name", sorted(mentioned(README, r"elmo [a-z-]+(?=$|\s)")))
def test_command_exists(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [*name.split(), "--help"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
