"""Does ELMo help to find named entities? Writes results/ner.md.

Trains training_configs/ner/{baseline,elmo}.jsonnet from each seed on a folder with train.* and
dev.*, and keeps one JSON file a run beside the table, so that what is finished is not repeated.
Several of these may run at once on different seeds; the last one then takes all seeds.

    python benchmarks/ner.py --data DIR --vectors FILE --bilm DIR --seeds 1 2 3 4 5
"""

import argparse
import gzip
import hashlib
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import _jsonnet
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.plugins import import_plugins

from elmo_plugin.weights.whole_file import whole_file

ROOT = Path(__file__).parent.parent
MODELS = ("baseline", "elmo")
METRIC = "best_validation_f1-measure-overall"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with train.* and dev.*")
    parser.add_argument("--vectors", type=Path, required=True, help="word vectors, GloVe's format")
    parser.add_argument("--bilm", type=Path, required=True, help="options.json and weights.hdf5")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    arguments = parser.parse_args()

    paths = data_paths(arguments.data, arguments.vectors, arguments.bilm)
    runs = [
        finished_run(arguments.results, paths, model, seed)
        for seed in arguments.seeds
        for model in MODELS
    ]
    with whole_file(arguments.results / "ner.md") as file:
        file.write_text(report(runs, paths), encoding="utf-8")


def data_paths(data: Path, vectors: Path, bilm: Path) -> dict[str, Any]:
    """What takes the place of training_configs/lib/paths.libsonnet."""
    (train,), (dev,) = (list(data.glob(f"{part}.*")) for part in ("train", "dev"))
    options = json.loads((bilm / "options.json").read_text(encoding="utf-8"))
    return {
        "ner": {"train": str(train), "dev": str(dev)},
        "vectors": {"file": str(vectors), "dim": len(next(lines(vectors)).split()) - 1},
        "bilm": {
            "options_file": str(bilm / "options.json"),
            "weight_file": str(bilm / "weights.hdf5"),
            "dim": 2 * options["lstm"]["projection_dim"],
        },
    }


def lines(path: Path) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        yield from file


def configuration(model: str, paths: dict[str, Any], seed: int) -> dict[str, Any]:
    source = ROOT / "training_configs" / "ner" / f"{model}.jsonnet"
    changed = json.dumps({"paths": paths, "seed": seed})
    snippet = f"local c = {changed}; (import '{source}') {{ paths:: c.paths, seed:: c.seed }}"
    return json.loads(_jsonnet.evaluate_snippet("ner", snippet))


def fingerprint(model: str, paths: dict[str, Any], seed: int) -> str:
    """Changes with the configuration and with what is in the files, not with where they lie."""
    digest = hashlib.sha256(json.dumps(configuration(model, _without_names(paths), seed)).encode())
    read = paths if model == "elmo" else {k: v for k, v in paths.items() if k != "bilm"}
    for path in _files(read):
        digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return digest.hexdigest()


def _without_names(paths: dict[str, Any]) -> dict[str, Any]:
    return {
        group: {key: "" if isinstance(value, str) else value for key, value in entries.items()}
        for group, entries in paths.items()
    }


def _files(paths: dict[str, Any]) -> list[str]:
    values = [value for entries in paths.values() for value in entries.values()]
    return [value for value in values if isinstance(value, str)]


def finished_run(results: Path, paths: dict[str, Any], model: str, seed: int) -> dict[str, Any]:
    """The run from its file, if there is one of these very data and settings; else by training."""
    path = results / "ner" / f"{model}-{seed}.json"
    key = fingerprint(model, paths, seed)
    if path.exists():
        run = json.loads(path.read_text(encoding="utf-8"))
        if run["fingerprint"] == key:
            return run
    run = {"model": model, "seed": seed, **train(configuration(model, paths, seed)), **setting()}
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write_text(json.dumps({**run, "fingerprint": key}, indent=1) + "\n", encoding="utf-8")
    return run


def train(config: dict[str, Any]) -> dict[str, Any]:
    import_plugins()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        model = train_model(
            Params(deepcopy(config)), Path(folder) / "run", file_friendly_logging=True
        )
        assert model is not None  # it is in a worker of a distributed training only
        metrics = json.loads((Path(folder) / "run" / "metrics.json").read_text(encoding="utf-8"))
    return {
        "f1": 100 * metrics[METRIC],
        "best_epoch": metrics["best_epoch"] + 1,
        "epochs": metrics["epoch"] + 1,
        "seconds": round(time.perf_counter() - start),
        "trained_parameters": sum(p.numel() for p in model.parameters() if p.requires_grad),
        "trainer": config["trainer"] | config["data_loader"],
    }


def setting() -> dict[str, Any]:
    git = ("git", "-C", str(ROOT))
    commit = subprocess.run((*git, "rev-parse", "--short", "HEAD"), capture_output=True, text=True)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.processor()
    return {
        "machine": f"{device or platform.machine()}, {os.cpu_count()} cores, "
        f"{torch.get_num_threads()} threads",
        "torch": torch.__version__,
        "commit": commit.stdout.strip() or "unknown",
    }


def report(runs: list[dict[str, Any]], paths: dict[str, Any]) -> str:
    scores = {m: [run["f1"] for run in runs if run["model"] == m] for m in MODELS}
    means = {m: mean(scores[m]) for m in MODELS}
    gain = means["elmo"] - means["baseline"]
    rows = [
        f"| {m} | {means[m]:.2f} ± {stdev(scores[m]) if len(scores[m]) > 1 else 0:.2f} | "
        + " | ".join(f"{score:.2f}" for score in scores[m])
        + f" | {mean(run['seconds'] for run in runs if run['model'] == m):.0f} |"
        for m in MODELS
    ]
    seeds = [run["seed"] for run in runs if run["model"] == "elmo"]
    options = json.loads(Path(paths["bilm"]["options_file"]).read_text(encoding="utf-8"))
    settings = sorted({(run["machine"], run["torch"], run["commit"]) for run in runs})
    parameters = {run["model"]: run["trained_parameters"] for run in runs}
    return "\n".join(
        [
            "# Named entities without and with ELMo",
            "",
            f"Dev F1 of the best epoch, mean ± standard deviation over {len(seeds)} seeds.",
            "",
            "| model | F1 | " + " | ".join(f"seed {seed}" for seed in seeds) + " | seconds a run |",
            "|---|---|" + "---|" * (len(seeds) + 1),
            *rows,
            "",
            f"ELMo: {gain:+.2f} F1, {100 * gain / (100 - means['baseline']):+.1f} % of the errors "
            "removed. (Peters et al. 2018, Table 1, on the CoNLL 2003 test set: "
            "90.15 → 92.22 F1, +2.07, 21 %.)",
            "",
            f"- Command: `python {shlex.join(sys.argv)}`",
            "- Configurations: training_configs/ner/baseline.jsonnet and elmo.jsonnet; "
            f"`{json.dumps(runs[0]['trainer'])}`",
            f"- Data: {_sentences(paths['ner']['train'])} sentences to train on, "
            f"{_sentences(paths['ner']['dev'])} to score; "
            f"{sum(1 for _ in lines(Path(paths['vectors']['file'])))} word vectors of "
            f"{paths['vectors']['dim']} dimensions in both.",
            f"- biLM: {options['lstm']['n_layers']} layers, cell {options['lstm']['dim']}, "
            f"projection {options['lstm']['projection_dim']}, "
            f"{sum(number for _, number in options['char_cnn']['filters'])} character filters.",
            f"- Trained parameters: {parameters['baseline']:,} without, {parameters['elmo']:,} "
            "with ELMo.",
            *(f"- Machine: {m}; torch {t}; commit {c}" for m, t, c in settings),
            "",
        ]
    )


def _sentences(path: str) -> int:
    text = Path(path).read_text(encoding="utf-8")
    return sum(bool(chunk.strip()) for chunk in text.split("\n\n"))


if __name__ == "__main__":
    main()
