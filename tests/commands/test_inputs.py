"""No command writes over what it reads."""

import json
from pathlib import Path

import pytest

from tests.helpers.command_line import elmo

EXPORTED = ("options.json", "weights.hdf5", "softmax.hdf5", "vocabulary.txt")
COMMANDS = [
    "embed text.txt text.txt",
    "embed config.json ./valid-1.conll",
    "embed text.txt weights.hdf5 --bilm .",
    "import model.tar.gz link.tar.gz",
    "export . .",
    "report table.json --out table.svg",
    "mix table.json --out table",
    "layers ner --task-overrides table.json --out table",
    "placement ner --task-overrides table.json --out table",
    "controls ner --task-overrides table.json --out table",
    "curve ner --task-overrides table.json --out table",
    "tasks ner --task-overrides table.json --out table",
    "simple-baselines ner --task-overrides table.json --out table",
    "fine-tuning ner --bilm table.json --out table",
    "ensemble text.txt table.json --out table",
    "ensemble text.txt model.tar.gz --predictions text.txt",
    "probe text.txt text.txt --labels text.txt table.json --out table",
    "senses text.txt text.txt --first-senses table.json --out table",
    "senses text.txt text.txt --cove table.json --out table",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_refused(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = {"train_data_path": "train.conll", "validation_data_path": "valid-*.conll"}
    config = {"dataset_reader": {"type": "conll2003"}, **data}
    texts = {"text.txt": "Some words .", "config.json": json.dumps(config)}
    texts["table.json"] = json.dumps({"title": "", "columns": [], "rows": []})
    names = ("train.conll", "valid-1.conll", "model.tar.gz", "table.svg", *EXPORTED)
    for name in (*texts, *names):
        Path(name).write_text(texts.get(name, name))
    Path("link.tar.gz").symlink_to("model.tar.gz")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(SystemExit, match="expected an output file that is not"):
        elmo(monkeypatch, *command.split())
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
