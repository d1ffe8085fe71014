"""Does training in bfloat16 lose anything? Compares its loss curve with float32's, from one seed.

    python benchmarks/bfloat16_loss.py 'data/lm/train-00-*.txt.gz' data/lm/heldout.txt.gz \
        --out results/bfloat16_loss

Trains `training_configs/bilm/small.jsonnet` in float32, in bfloat16, and in float32 from another
seed, which shows how much the curves of equal runs differ. All read the same text in the same
order. A point is the mean loss per word over 100 batches. Finished runs in `--runs` are not
repeated, and interrupted ones resume.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
from functools import partial
from pathlib import Path
from typing import Any

from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from matplotlib.figure import Figure

from elmo_plugin.commands.arguments import add_out_argument, positive_int
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.experiments.runner.changes import with_seed
from elmo_plugin.experiments.runner.configurations import Configuration, evaluate, import_of
from elmo_plugin.reporting.figures import lines
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Cell, Table
from elmo_plugin.training.curve import CURVE

CONFIG = "training_configs/bilm/small.jsonnet"
FLOAT32, BFLOAT16, CONTROL = "float32", "bfloat16", "float32, another seed"
TRAININGS = {FLOAT32: ("float32", 1), BFLOAT16: ("bfloat16", 1), CONTROL: ("float32", 2)}
"""Precision and seed of each training run."""
COMPARED = (BFLOAT16, CONTROL)
HELDOUT = "held-out loss"
COLUMNS = ("words", *TRAININGS, *(f"{name}: difference, %" for name in COMPARED))

Curve = dict[str, float]
"""Nats per word by number of words read; the last is of the held-out text."""


def main() -> None:
    arguments = parse_arguments()
    check_out(arguments)
    os.environ["FILE_FRIENDLY_LOGGING"] = "1"
    import_plugins()
    curves = {
        name: curve_of(configuration(precision, seed, arguments), Path(arguments.runs, name))
        for name, (precision, seed) in TRAININGS.items()
    }
    metadata = {
        "Loss": f"of the sampled softmax, nats per word, mean over {arguments.every} batches; the "
        f"row '{HELDOUT}' is the full softmax's",
        "Difference": "relative to float32; the mean and the largest leave out the held-out text",
        "Training": f"`{CONFIG}`, {arguments.batches} batches of {arguments.text}",
    }
    table = Table(
        "Loss of a biLM in bfloat16 and float32", COLUMNS, rows_of(curves), metadata, digits=3
    )
    write_table(arguments, Result(table, partial(figure, curves)))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("text", help="file or glob, one tokenized sentence per line")
    parser.add_argument("heldout", help="likewise, to score after training")
    parser.add_argument("--batches", type=positive_int, default=800, help="of 64 x 20 words")
    parser.add_argument("--every", type=positive_int, default=100, help="batches per point")
    parser.add_argument(
        "--runs", default="runs/bfloat16_loss", help="directory of the training runs"
    )
    add_out_argument(parser)
    return parser.parse_args()


def configuration(precision: str, seed: int, arguments: argparse.Namespace) -> Configuration:
    paths = {"lm": {"train": arguments.text, "heldout": arguments.heldout}}
    changes = f"""{{
      paths+:: {json.dumps(paths)},
      model+: {{ precision: '{precision}' }},
      data_loader+: {{ batches_per_epoch: {arguments.batches} }},
      trainer+: {{
        num_epochs: 1,
        callbacks: [{{ type: 'bilm_curve', every: {arguments.every} }}],
      }},
    }}"""
    return with_seed(evaluate(f"({import_of(CONFIG)}) + {changes}", CONFIG), seed)


def curve_of(config: Configuration, folder: Path) -> Curve:
    stored = folder / "config.json"
    if stored.exists() and json.loads(stored.read_text()) != config:
        sys.exit(f"{stored}: expected the run of these arguments, found another; give other --runs")
    if not (folder / "metrics.json").exists():
        started = (folder / "config.json").exists()
        train_model(Params(config), str(folder), recover=started, force=not started)
    points = [json.loads(line) for line in (folder / CURVE).read_text().splitlines()]
    training = {f"{p['words']:,}": p["training_loss"] for p in points if "training_loss" in p}
    metrics: dict[str, Any] = json.loads((folder / "metrics.json").read_text())
    return {**training, HELDOUT: math.log(metrics["best_validation_perplexity"])}


def rows_of(curves: dict[str, Curve]) -> list[list[Cell]]:
    changes = {name: differences(curves, name) for name in COMPARED}
    rows: list[list[Cell]] = [
        [point, *(curve[point] for curve in curves.values()), *of_point]
        for point, *of_point in zip(curves[FLOAT32], *changes.values())
    ]
    sizes = [[abs(change) for change in changes[name][:-1]] for name in COMPARED]
    empty: list[Cell] = [None] * len(TRAININGS)
    rows.append(["mean absolute difference", *empty, *map(statistics.mean, sizes)])
    rows.append(["largest absolute difference", *empty, *map(max, sizes)])
    return rows


def differences(curves: dict[str, Curve], name: str) -> list[float]:
    """Percent of float32's loss, at each point and on the held-out text."""
    exact = curves[FLOAT32]
    return [100 * (curves[name][point] / exact[point] - 1) for point in exact]


def figure(curves: dict[str, Curve]) -> Figure:
    words = [int(point.replace(",", "")) / 1e6 for point in list(curves[FLOAT32])[:-1]]
    drawn = {name: (words, differences(curves, name)[:-1]) for name in COMPARED}
    label = "difference from float32, % of the loss"
    return lines(drawn, "million words", label, "Loss of a training run in bfloat16")


if __name__ == "__main__":
    main()
