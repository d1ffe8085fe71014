"""Values of a training run's configuration that are wrong or out of bounds, for `--overrides`."""

from __future__ import annotations

import json
from typing import Any

_VALUES: dict[str, tuple[Any, ...]] = {
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
    "model.pretrained_file": ("", "nowhere", "exported", "folder", "model.tar.gz", "binary", 3),
    "model.cell_clip": (-1, 0, 1e308, "x", float("nan")),
    "model.x": (1,),
    "model": (None, 3, [], {"type": "x"}),
}
OVERRIDES = (
    *(json.dumps({key: value}) for key, values in _VALUES.items() for value in values),
    *("", "{", "[]", "3", "null", "x", '{"": 1}', '{"a.b.c": 1}', "import 'nowhere'", "error 'x'"),
)
