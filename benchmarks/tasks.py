"""Does ELMo help? Trains a task without and with it; writes results/six_tasks.md.

    python benchmarks/tasks.py --task ner --data DIR --seeds 1 2 3

DIR is laid out as the paths in TASKS and VECTORS say. Every finished run is a JSON file in
results/<task>/, and is not repeated while data and configuration are the same; one that was
interrupted goes on after its last epoch. The table is made from all such files, so that tasks and
seeds may be run one by one, or several at once.
"""

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import time
from collections import defaultdict
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import _jsonnet
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.data import DatasetReader

from elmo_plugin.pretrained import DIRECTORY
from elmo_plugin.weights.whole_file import whole_file

ROOT = Path(__file__).parent.parent
VECTORS = ("vectors/vectors.100d.txt.gz", 100)


@dataclass(frozen=True)
class Task:
    """Paths are below the folder of data; `paper` is Table 1, test scores without and with ELMo."""

    name: str
    metric: str
    key: str
    train: str
    dev: str
    elmo: str
    paper: tuple[float, float]
    published: str
    change: str = "{}"  # Jsonnet, of baseline and ELMo alike: what two cores cannot do


TASKS = {
    "squad": Task(
        "SQuAD",
        "F1",
        "f1",
        "squad/train-v1.1.json",
        "squad/dev-v1.1.json",
        "elmo_both",
        (81.1, 85.8),
        "SQuAD 1.1, https://rajpurkar.github.io/SQuAD-explorer/",
    ),
    "snli": Task(
        "SNLI",
        "accuracy",
        "accuracy",
        "snli/cf_train.jsonl",
        "snli/snli_1.0_dev.jsonl",
        "elmo_both",
        (88.0, 88.7),
        "trained on https://github.com/acmi-lab/counterfactually-augmented-data, scored on SNLI, "
        "https://nlp.stanford.edu/projects/snli/",
    ),
    "srl": Task(
        "SRL",
        "F1",
        "f1-measure-overall",
        "srl/train",
        "srl/dev",
        "elmo",
        (81.4, 84.6),
        "PropBank on the English Web Treebank, https://github.com/propbank/propbank-release with "
        "https://github.com/UniversalDependencies/UD_English-EWT",
        "{ trainer+: { num_epochs: 30, patience: 5 } }",
    ),
    "coref": Task(
        "Coref",
        "average F1",
        "coref_f1",
        "coref/train.gold_conll",
        "coref/dev.gold_conll",
        "elmo",
        (67.2, 70.4),
        "LitBank, https://github.com/dbamman/litbank",
        "{ trainer+: { num_epochs: 40 } }",
    ),
    "ner": Task(
        "NER",
        "F1",
        "f1-measure-overall",
        "ner/train.txt",
        "ner/dev.txt",
        "elmo",
        (90.15, 92.22),
        "WNUT 2017, https://github.com/leondz/emerging_entities_17",
    ),
    "sst5": Task(
        "SST-5",
        "accuracy",
        "accuracy",
        "sst/train.txt",
        "sst/dev.txt",
        "elmo_both",
        (51.4, 54.7),
        "Stanford Sentiment Treebank, https://nlp.stanford.edu/sentiment/",
        "{ phrases:: false, data_loader+: { batch_sampler+: { batch_size: 32 } } }",
    ),
}

Run = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", choices=TASKS, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--configs", nargs="+", help="default: baseline and the paper's placement")
    parser.add_argument("--train-size", type=int, help="the first so many instances; default: all")
    parser.add_argument("--bilm", type=Path, help="options.json, weights.hdf5; default: built in")
    parser.add_argument("--change", help="Jsonnet that every configuration is extended by")
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "tasks")
    arguments = parser.parse_args()

    task = TASKS[arguments.task]
    paths = data_paths(arguments.task, arguments.data, arguments.bilm)
    change = task.change if arguments.change is None else arguments.change
    for seed in arguments.seeds:
        for name in arguments.configs or ["baseline", task.elmo]:
            config = configuration(arguments.task, name, paths, seed, change, arguments.train_size)
            about = {"task": arguments.task, "config": name, "seed": seed, "change": change}
            size = f"-{arguments.train_size}" if arguments.train_size else ""
            file = arguments.results / arguments.task / f"{name}{size}-{seed}.json"
            finish(about, config, paths, file, arguments.runs)
            with whole_file(arguments.results / "six_tasks.md") as table:
                table.write_text(report(arguments.results), encoding="utf-8")


def data_paths(task: str, data: Path, bilm: Path | None) -> dict[str, Any]:
    """What takes the place of training_configs/lib/paths.libsonnet."""
    file, dim = VECTORS
    paths: dict[str, Any] = {
        task: {"train": str(data / TASKS[task].train), "dev": str(data / TASKS[task].dev)},
        "vectors": {"file": str(data / file), "dim": dim},
    }
    if bilm is not None:
        options = json.loads((bilm / "options.json").read_text(encoding="utf-8"))
        paths["bilm"] = {
            "options_file": str(bilm / "options.json"),
            "weight_file": str(bilm / "weights.hdf5"),
            "dim": 2 * options["lstm"]["projection_dim"],
        }
    return paths


def configuration(
    task: str, name: str, paths: dict[str, Any], seed: int, change: str, train_size: int | None
) -> dict[str, Any]:
    source = ROOT / "training_configs" / task / f"{name}.jsonnet"
    given = f"{{ paths+:: {json.dumps(paths)}, seed:: {seed} }}"
    snippet = f"(import '{source}') + ({change}) + {given}"
    config = json.loads(_jsonnet.evaluate_snippet(task, snippet))
    if train_size is not None:
        config.setdefault("validation_dataset_reader", deepcopy(config["dataset_reader"]))
        config["dataset_reader"]["max_instances"] = train_size
    return config


def fingerprint(config: dict[str, Any], paths: dict[str, Any]) -> str:
    """Changes with the configuration and with what is in the files, not with where they lie."""
    text = json.dumps(config, sort_keys=True)
    built_in = "elmo_characters" in text and "bilm" not in paths
    files = [DIRECTORY / "options.json", DIRECTORY / "weights.hdf5"] if built_in else []
    names = [value for entries in paths.values() for value in entries.values()]
    for name in (json.dumps(value) for value in names if isinstance(value, str)):
        if name in text:
            files += _files(Path(json.loads(name)))
            text = text.replace(name, '""')
    digest = hashlib.sha256(text.encode())
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def finish(
    about: Run, config: dict[str, Any], paths: dict[str, Any], file: Path, runs: Path
) -> None:
    """Trains, unless the file is there and of these very data and settings."""
    key = fingerprint(config, paths)
    if file.exists() and json.loads(file.read_text(encoding="utf-8"))["fingerprint"] == key:
        return
    folder = runs / f"{about['task']}-{file.stem}-{key[:12]}"
    run = {**about, **train(TASKS[about["task"]], config, folder), **setting(), "fingerprint": key}
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as temporary:
        temporary.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(folder)


def train(task: Task, config: dict[str, Any], folder: Path) -> dict[str, Any]:
    import_plugins()
    start = time.perf_counter()
    begun = (folder / "config.json").exists()
    model = train_model(
        Params(deepcopy(config)), folder, recover=begun, force=not begun, file_friendly_logging=True
    )
    assert model is not None  # it is in a worker of a distributed training only
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    return {
        "score": 100 * metrics[f"best_validation_{task.key}"],
        "best_epoch": metrics["best_epoch"] + 1,
        "epochs": metrics["epoch"] + 1,
        "seconds": round(time.perf_counter() - start),
        "resumed": begun,
        "trained_on": instances(config, "dataset_reader", "train_data_path"),
        "scored_on": instances(config, "validation_dataset_reader", "validation_data_path"),
        "trained_parameters": sum(p.numel() for p in model.parameters() if p.requires_grad),
    }


def instances(config: dict[str, Any], reader_key: str, path_key: str) -> int:
    reader = Params(deepcopy(config.get(reader_key, config["dataset_reader"])))
    return sum(1 for _ in DatasetReader.from_params(reader).read(config[path_key]))


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


def report(results: Path) -> str:
    """One row for each task, number of instances trained on, and configuration with ELMo."""
    groups: dict[tuple[str, int], dict[str, list[Run]]] = {}
    for file in sorted(results.glob("*/*.json")):
        run = json.loads(file.read_text(encoding="utf-8"))
        group = groups.setdefault((run["task"], run["trained_on"]), defaultdict(list))
        group[run["config"]].append(run)
    order = list(TASKS)
    ordered = sorted(groups.items(), key=lambda item: (order.index(item[0][0]), -item[0][1]))
    rows = [
        row(TASKS[task], size, group["baseline"], group[name], name)
        for (task, size), group in ordered
        for name in sorted(group.keys() - {"baseline"})
        if group["baseline"]
    ]
    return "\n".join(
        [
            "# The six tasks without and with ELMo",
            "",
            "Dev scores of the best epoch, mean ± standard deviation over the seeds; x_k are the "
            "same vectors in both. Beside them the paper's test scores (Peters et al. 2018, Table "
            "1), on other data where the task's is not public.",
            "",
            "| task | trained on | scored on | ELMo | baseline | with ELMo | gain | of the errors "
            "| seeds | paper | of the errors |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
            *rows,
            "",
            "Each row is made by `python benchmarks/tasks.py --task TASK --data DIR --seeds ...`, "
            "with `--train-size` where it is not all of the set. Data, and what two cores make "
            "necessary, in baseline and ELMo alike:",
            "",
            *details([run for group in groups.values() for runs in group.values() for run in runs]),
            "",
        ]
    )


def row(task: Task, size: int, baseline: list[Run], elmo: list[Run], name: str) -> str:
    without, with_elmo = ([run["score"] for run in runs] for runs in (baseline, elmo))
    gain, paper_gain = mean(with_elmo) - mean(without), task.paper[1] - task.paper[0]
    cells = [
        f"{task.name}, {task.metric}",
        f"{size:,}",
        f"{elmo[0]['scored_on']:,}",
        {"elmo": "input", "elmo_output": "output", "elmo_both": "both"}.get(name, name),
        spread(without),
        spread(with_elmo),
        f"{gain:+.2f}",
        f"{100 * gain / (100 - mean(without)):+.1f} %",
        f"{len(without)}, {len(with_elmo)}",
        f"{task.paper[0]} → {task.paper[1]}",
        f"{100 * paper_gain / (100 - task.paper[0]):+.1f} %",
    ]
    return f"| {' | '.join(cells)} |"


def spread(scores: list[float]) -> str:
    return f"{mean(scores):.2f} ± {stdev(scores) if len(scores) > 1 else 0:.2f}"


def details(runs: list[Run]) -> list[str]:
    lines = []
    for name, task in TASKS.items():
        own = [run for run in runs if run["task"] == name]
        if own:
            changes = ", ".join(sorted({f"`{run['change']}`" for run in own}))
            seconds = mean(run["seconds"] for run in own)
            lines.append(f"- {task.name}: {task.published}; {changes}; {seconds:.0f} s a run.")
    machines = sorted({(run["machine"], run["torch"]) for run in runs})
    return lines + [f"- Machine: {machine}; torch {version}." for machine, version in machines]


if __name__ == "__main__":
    main()
