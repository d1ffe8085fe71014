"""Commands name data files in another format than their reader's, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data import DatasetReader

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
