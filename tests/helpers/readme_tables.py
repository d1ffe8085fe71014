"""Stand-ins for files and sizes in the commands of README.md."""

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
FILES = {"config.jsonnet": "import 'training_configs/ner/baseline.jsonnet'"}
"""Files of the working directory, in the place of the user's."""

OVERRIDES = {"my-bilm.jsonnet": TINY_BILM}
"""Overrides of trainings, by a part of the configuration's name; `TINY_TASK` of all others."""


def reason_not_to_run(command: str) -> str | None:
    reasons = (reason for pattern, reason in NOT_RUN.items() if re.match(pattern, command))
    return next(reasons, None)


def shrink(command: list[str]) -> list[str]:
    """Return the command with smaller sizes."""
    if command[:2] not in (["elmo", "train"], ["allennlp", "train"]):
        return command
    overrides = [tiny for part, tiny in OVERRIDES.items() if part in command[2]]
    return [*command, "-o", json.dumps(*(overrides or [TINY_TASK]))]
