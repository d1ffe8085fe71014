"""Parts of a task's data that no file holds."""

from dataclasses import dataclass

from allennlp.data import Instance


@dataclass
class MadeUpParts:
    train: list[Instance]
    development: list[Instance]
    test: list[Instance]
    train_file = "data.txt"
