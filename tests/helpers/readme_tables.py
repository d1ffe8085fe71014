"""Stand-ins for data, arguments and sizes in the commands of README.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]

NOT_RUN = {
    r"PIP_EXTRA_INDEX_URL=\S+ .*make install": "downloads packages",
    r"make (test|demo|docs)\b": "targets of the continuous integration",
    r"python3 -m venv": "makes an environment; .ci/smoke does",
    r"(\.venv/bin/)?(python -m )?pip install": "changes the environment; .ci/smoke runs it",
}
"""Patterns of commands that this test does not run, and why."""

TINY_TASK: dict[str, object] = {"dataset_reader.max_instances": 8, "trainer.num_epochs": 1}
TINY_BILM: dict[str, object] = {
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
    "ARCHIVE…": [str(next((ROOT / "results/version_0.2.0/runs").glob("ner-*-lambda-1-1-*.json")))],
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
OPTIONS = {"--seeds": ["1"], "--sentences": ["4"], "--batch-size": ["2"], "--sizes": ["12/8/16"]}
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
}
"""Options added to commands that do not have them."""


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
