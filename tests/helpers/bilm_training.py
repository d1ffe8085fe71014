"""Training runs of a tiny biLM from the repository's configurations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from allennlp.common import Params
from allennlp.common.plugins import import_plugins

import_plugins()

ROOT = Path(__file__).parents[2]
TINY: dict[str, Any] = {
    "model.filters": [[1, 8], [3, 8]],
    "model.projection_dim": 16,
    "model.cell_dim": 32,
    "data_loader.batch_size": 4,
    "data_loader.unroll_steps": 10,
    "data_loader.batches_per_epoch": 10,
}
BATCHES = 40
CHECKPOINTED: dict[str, Any] = {
    **TINY,
    "model.num_samples": 20,
    "model.dropout": 0.1,
    "data_loader.batches_per_epoch": BATCHES,
    "data_loader.prefetch": 3,
    "trainer.num_epochs": 2,
    "trainer.checkpointer.save_every_num_batches": 7,
    "trainer.checkpointer.save_every_num_seconds": None,
    "trainer.callbacks": [{"type": "bilm_curve", "every": 1}],
    "validation_data_path": "fixtures/lm/heldout.txt",
}
"""Two epochs with a checkpoint every seven batches."""


def checkpointed_params(changes: dict[str, Any]) -> Params:
    config = ROOT / "training_configs" / "bilm" / "mini.jsonnet"
    return Params.from_file(config, json.dumps({**CHECKPOINTED, **changes}))
