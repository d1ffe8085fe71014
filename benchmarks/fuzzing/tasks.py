"""Data of the six tasks, read as by their configurations, and input of predictors."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any, ClassVar

from allennlp.common import Params
from allennlp.data import Batch, DatasetReader, Vocabulary

from elmo_plugin.compat.command import running_command
from fuzzing.commands import check_printed, elmo
from fuzzing.damage import damage_file
from fuzzing.damage_json import damage_json, damage_json_lines
from fuzzing.damage_text import damage_text
from fuzzing.kind import Kind
from fuzzing.task_configs import DATA, task_config

_SOME = 4


class _TaskData(Kind):
    """A data file, read into tensors."""

    task: ClassVar[str]

    def __init__(self, material: Path) -> None:
        super().__init__(material)
        self._reader = task_config(material, self.task)["dataset_reader"]

    def write(self, directory: Path) -> None:
        source, target = self.material / "data" / DATA[self.task], directory / DATA[self.task]
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)

    def damage(self, rng: random.Random, directory: Path) -> None:
        (file,) = (path for path in (directory / self.task).rglob("*") if path.is_file())
        ways = {".json": (damage_json, damage_text), ".jsonl": (damage_json_lines, damage_text)}
        damage_file(rng, file, ways.get(file.suffix, (damage_text,)))

    def run(self, rng: random.Random, directory: Path) -> None:
        reader = DatasetReader.from_params(Params(json.loads(json.dumps(self._reader))))
        # Errors of AllenNLP's readers are made clear in commands only.
        with running_command():
            instances = list(reader.read(DATA[self.task]))
        vocabulary = Vocabulary.from_instances(instances)
        for instance in instances[:_SOME]:
            reader.apply_token_indexers(instance)
            batch = Batch([instance])
            batch.index_instances(vocabulary)
            batch.as_tensor_dict()


class Snli(_TaskData):
    name, task = "data: SNLI", "snli"


class Srl(_TaskData):
    name, task = "data: SRL", "srl"


class Coref(_TaskData):
    name, task = "data: coreference", "coref"


class Ner(_TaskData):
    name, task = "data: NER", "ner"


class Sst5(_TaskData):
    name, task = "data: SST-5", "sst5"


class Squad(_TaskData):
    name, task = "data: SQuAD", "squad"


LINES: dict[str, list[dict[str, Any]]] = {
    "model": [{"sentence": "It is late ."}, {"sentence": "Oslo"}],
    "snli": [{"premise": "A man didn't sleep.", "hypothesis": ["He", "is", "awake", "."]}],
    "srl": [
        {"sentence": "Ruth sold the boat, and Ivan slept."},
        {"sentence": ["Ruth", "slept"], "predicates": [1]},
    ],
    "coref": [
        {"document": "Ruth met Ivan. She didn't like him!"},
        {"document": [["Ruth", "met", "Ivan"]]},
    ],
    "ner": [{"sentence": "Ruth Adler didn't sail to Porto."}, {"sentence": ["Oslo"]}],
    "sst5": [{"sentence": "The film isn't dull."}, {"sentence": ["dull"]}],
    "squad": [{"question": "Who met Ivan?", "passage": "Ruth met Ivan in Oslo ."}],
}


class Predictors(Kind):
    """JSON lines for `elmo predict`, with the archives of a biLM and of the six tasks."""

    name = "predict"

    def write(self, directory: Path) -> None:
        for task, lines in LINES.items():
            text = "".join(f"{json.dumps(line)}\n" for line in lines)
            (directory / f"{task}.jsonl").write_text(text)

    def damage(self, rng: random.Random, directory: Path) -> None:
        for task in LINES:
            damage_file(rng, directory / f"{task}.jsonl", (damage_json_lines,))

    def run(self, rng: random.Random, directory: Path) -> None:
        task = rng.choice(("model", "model", *LINES))
        archive = self.material / f"{task}.tar.gz"
        options = ("--silent",) if rng.random() < 0.5 else ()
        more = ("--batch-size", 2) if rng.random() < 0.3 else ()
        printed = elmo("predict", archive, f"{task}.jsonl", "--output-file", "out", *options, *more)
        # The input is printed too.
        lines = [line for line in printed.splitlines() if not line.startswith("input ")]
        check_printed("\n".join(lines).replace("[", " ").replace("]", " "), "predict")
