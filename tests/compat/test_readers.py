"""Commands name data files in another format than their reader's, in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data import DatasetReader
from allennlp_models.common.ontonotes import Ontonotes

from elmo_plugin.compat.command import running_command

import_plugins()

CONTENTS = {
    "not an object": ("snli", "[1, 2]\n"),
    "a key with another type": ("snli", '{"sentence1": 5, "sentence2": "x", "gold_label": "x"}\n'),
    "deep nesting": ("snli", "[" * 100_000 + "\n"),
    "a token of 200 KB": ("sst_tokens", "x" * 200_000 + "\n"),
    "too few columns": ("conll2003", "a B\n\n"),
}


@pytest.mark.parametrize(("reader", "content"), CONTENTS.values(), ids=CONTENTS)
def test_errors_name_the_file(reader: str, content: str, tmp_path: Path) -> None:
    file = tmp_path / "data.txt"
    file.write_text(content)
    with running_command(), pytest.raises(ConfigurationError) as raised:
        list(DatasetReader.from_params(Params({"type": reader})).read(str(file)))
    message = str(raised.value)
    assert message.startswith(f"{file}: ")
    assert len(message) < 1000 and "\n" not in message


def test_files_of_a_directory_are_read_in_the_order_of_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever order the file system lists them, which differs between disks."""
    names = ["b/1.gold_conll", "b/3.gold_conll", "a/2.gold_conll", "c.gold_conll", "a/2.gold_skel"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    expected = [str(tmp_path / name) for name in sorted(names) if name.endswith("gold_conll")]
    listed = list(os.walk(tmp_path))
    for order in (listed, [(root, folders, files[::-1]) for root, folders, files in listed[::-1]]):
        monkeypatch.setattr(os, "walk", lambda path, order=order: iter(order))
        assert list(Ontonotes.dataset_path_iterator(str(tmp_path))) == expected
