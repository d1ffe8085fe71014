"""A byte order mark at the start of a file is no part of its text."""

from __future__ import annotations

import gzip
import json
import sys
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.predict import _PredictManager
from allennlp.common import Params
from allennlp.common.file_utils import open_compressed
from allennlp.common.plugins import import_plugins
from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import MetadataField
from allennlp.predictors import Predictor

from elmo_plugin.compat.counted_text import open_counted

import_plugins()

FIXTURES = Path(__file__).parents[2] / "fixtures"
MARK = b"\xef\xbb\xbf"
READERS: dict[str, tuple[dict[str, Any], str]] = {
    "conll2003": ({}, "ner/dev.conll"),
    "conll2003_bio2": ({}, "ner/dev.conll"),
    "coref": ({"max_span_width": 2}, "coref/dev.gold_conll"),
    "coref_metadata": ({"max_span_width": 2}, "coref/dev.gold_conll"),
    "squad": ({}, "squad/dev.json"),
    "squad_text_or_tokens": ({}, "squad/dev.json"),
    "snli": ({}, "snli/dev.jsonl"),
    "sst_phrases": ({}, "sst5/dev.txt"),
    "sst_tokens": ({}, "sst5/dev.txt"),
    "srl": ({}, "srl/dev"),
}


def content(instance: Instance) -> dict[str, Any]:
    return {
        name: field.metadata if isinstance(field, MetadataField) else str(field)
        for name, field in instance.fields.items()
    }


@pytest.mark.parametrize("name", READERS)
def test_readers(name: str, tmp_path: Path) -> None:
    options, path = READERS[name]
    whole = FIXTURES / path
    marked = tmp_path / whole.name
    files = [file for file in whole.rglob("*") if file.is_file()] if whole.is_dir() else [whole]
    for file in files:
        target = marked / file.relative_to(whole)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(MARK + file.read_bytes())
    reader = DatasetReader.from_params(Params({"type": name, "max_instances": 2, **options}))
    expected = [content(instance) for instance in reader.read(str(whole))]
    assert len(expected) == 2
    assert [content(instance) for instance in reader.read(str(marked))] == expected


def test_files_of_a_users_reader_are_opened_by_python(tmp_path: Path) -> None:
    class UserReader(DatasetReader):
        def _read(self, file_path: Any) -> Any:
            with open(file_path) as file:
                yield Instance({"file": MetadataField(type(file))})

    (tmp_path / "text").write_text("Oslo\n")
    (instance,) = UserReader().read(tmp_path / "text")
    assert instance["file"].metadata is TextIOWrapper


def test_other_files_of_a_module_with_a_reader(tmp_path: Path) -> None:
    """Its `open` writes, and reads bytes and other encodings, as Python's does."""
    with open_counted(tmp_path / "bytes", "wb") as file:
        file.write(MARK)
    with open_counted(tmp_path / "bytes", "rb") as file:
        assert file.read() == MARK
    with open_counted(tmp_path / "text", "w", encoding="utf-16") as text:
        text.write("Åse")
    with open_counted(tmp_path / "text", encoding="utf-16") as text:
        assert text.read() == "Åse"
    with open_counted(tmp_path / "text", encoding="ascii", errors="replace") as text:
        assert "Åse" not in text.read()


def test_compressed_text(tmp_path: Path) -> None:
    marked = MARK + "Åse".encode()
    (tmp_path / "text").write_bytes(marked)
    (tmp_path / "text.gz").write_bytes(gzip.compress(marked))
    for name in ("text", "text.gz"):
        with open_compressed(tmp_path / name) as file:
            assert file.read() == "Åse"
        with open_compressed(tmp_path / name, "rb", None) as file:
            assert file.read() == marked


@pytest.mark.parametrize("name", ["lines.jsonl", "-"])
def test_lines_to_predict_from(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Echo(Predictor):
        def predict_json(self, inputs: Any) -> Any:
            return inputs

    monkeypatch.chdir(tmp_path)
    line = json.dumps({"sentence": "Åse slept"})
    Path("lines.jsonl").write_text(f"\ufeff{line}\n", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", StringIO(f"\ufeff{line}\n"))
    predictor: Any = Echo.__new__(Echo)
    _PredictManager(predictor, name, None, 1, True, False).run()
    assert f"prediction:  {line}" in capsys.readouterr().out


def test_configurations(tmp_path: Path) -> None:
    (tmp_path / "part.libsonnet").write_bytes(MARK + b"{ size: 3 }")
    (tmp_path / "config.jsonnet").write_bytes(MARK + b"import 'part.libsonnet'")
    assert Params.from_file(tmp_path / "config.jsonnet").as_dict() == {"size": 3}
