"""The commands that analyze a biLM run where AllenNLP is not installed."""

from pathlib import Path

import pytest

from tests.helpers.command_line import run_process
from tests.helpers.play_corpus import BILM, QUERY, write_corpus
from tests.helpers.probe_texts import TEST, TRAIN, write_conllu

FIXTURES = Path(BILM).parent
SENSES = """\
{"tokens": ["the", "play"], "senses": [{"start": 1, "end": 2, "lemma": "play", "pos": "n", \
"sense": "play%1"}]}
"""
COMMANDS = {
    "probe": ("train.conllu", "test.conllu", "--bilm", BILM),
    "senses": ("senses.jsonl", "senses.jsonl", "--bilm", BILM),
    "neighbors": ("index", "--query", "play", " ".join(QUERY)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folder")
    write_corpus(folder)
    write_conllu(folder / "train.conllu", TRAIN)
    write_conllu(folder / "test.conllu", TEST)
    (folder / "senses.jsonl").write_text(SENSES)
    command = ("index", "corpus.txt", "index", "--bilm", BILM)
    assert run_process(folder, *command, blocked=("allennlp",)).status == 0
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_tables_are_printed(command: str, folder: Path) -> None:
    vectors = ("--vectors", FIXTURES / "vectors" / "vectors.16d.txt")
    options = (*COMMANDS[command], *vectors, "--out", "table")
    ended = run_process(folder, command, *options, blocked=("allennlp",))
    assert ended.status == 0, ended.errors
    assert (folder / "table.md").read_text() == ended.output.removesuffix("\n")
    ended = run_process(folder, "report", "table.json", "--out", "page.html", blocked=("allennlp",))
    assert ended.status == 0, ended.errors
