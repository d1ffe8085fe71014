"""Whatever stands after `elmo`: one line of what is wrong, and nothing lost."""

import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from allennlp import commands
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins

from elmo_plugin.__main__ import main
from elmo_plugin.commands.registry import COMMANDS
from elmo_plugin.common import progress
from elmo_plugin.experiments.intrinsic.corpus_encoder import IndexConfig
from elmo_plugin.experiments.intrinsic.index_files import build_index
from tests.helpers.command_line import elmo, elmo_error
from tests.helpers.untrained import archive_task, write_bilm

ROOT = Path(__file__).parent.parent.parent
TASKS = ("snli", "srl", "coref", "ner", "sst5", "squad")
TEXT = "The play was late .\nShe saw a play .\nWe play in the park .\n"
NUMBERS = ("", "-1", "0", "1.5", "x", "nan", "99999999999999999999999")
FILES = {
    "text.txt": TEXT,
    "labels.txt": "D N V A P\nP V D N P\nP V P D N P\n",
    "short.txt": "D N V A P\n",
    "one.txt": "N N N N N\nN N N N N\nN N N N N N\n",
    "empty.txt": "",
    "vectors.txt": "play 1 0\nlate 0 1\n",
    "broken.json": "{",
    "list.json": "[1]",
    "object.json": '{"a": 1}',
    "deep.json": "[" * 100_000,
    "broken.jsonnet": "{ a: ",
    "config.jsonnet": f"import '{ROOT}/training_configs/ner/baseline.jsonnet'",
    "elmo.jsonnet": f"import '{ROOT}/training_configs/ner/elmo.jsonnet'",
    "table.json": json.dumps(
        {"title": "", "paper": "", "digits": 2, "columns": [], "rows": [], "metadata": {}}
    ),
    "senses.jsonl": json.dumps(
        {
            "tokens": ["a", "play"],
            "senses": [{"start": 1, "end": 2, "lemma": "play", "pos": "n", "sense": "play%1"}],
        }
    ),
    "outside.jsonl": '{"tokens": ["a"], "senses": [{"start": 0, "end": 2}]}',
    "text_of_tokens.jsonl": '{"tokens": "ab", "senses": []}',
    "number.jsonl": '{"tokens": ["a"], "senses": [3]}',
    "tree.txt": "(2 (2 the) (2 cast))\n(7 (2 the) (2 cast))\n",
    "ship.conll": "Oslo NNP O B-SHIP\n",
    "sentence.jsonl": '{"sentence": "The play was late ."}',
}

# Each command, and what its error names.
CASES = """
nope => invalid choice: 'nope'
embed text.txt x.hdf5 --bilm bilm --column 2 => --column has no effect, as the input has no columns
embed text.txt x.hdf5 --bilm bilm -o '{}' => --overrides has no effect, as the input is not a config
embed text.txt x.hdf5 --bilm bilm --address 1.2.3.4:5 => --address: expected none without --engine
embed text.txt x.hdf5 --bilm bilm --input-format conll --raw-text => --raw-text has no effect, as a
embed config.jsonnet x.hdf5 --bilm bilm --raw-text => --raw-text has no effect, as its dataset read
embed text.txt config.jsonnet x.hdf5 --bilm bilm => input: expected one configuration alone, got
embed - - x.hdf5 --bilm bilm => input: expected standard input (-) once
perplexity '' => argument text: expected a path
perplexity missing => missing: expected a text file
perplexity folder => folder: expected a text file
perplexity text.txt --bilm '' => argument --bilm: expected a path
perplexity text.txt --bilm missing => missing: expected a trained biLM
perplexity text.txt --bilm bilm --unigram '' => argument --unigram: expected a path
perplexity text.txt --bilm bilm --include-package nope => --include-package nope: No module named
perplexity text.txt --bilm bilm --include-package os.system => --include-package os.system: No
perplexity text.txt --bilm bilm --include-package .. => --include-package ..: expected the name
perplexity text.txt --bilm bilm --include-package '' => --include-package : expected the name
info missing => missing: expected a trained biLM
export '' out => argument BILM: expected a path
export missing out => missing: expected a trained biLM
export bilm text.txt => argument directory: expected the name of a directory
export bilm '' => argument directory: expected a path
export bilm out --warm-state '' => argument --warm-state: expected a path
import bilm '' => argument archive: expected a name that ends in .tar.gz
import bilm folder/ => argument archive: expected a name that ends in .tar.gz
import bilm text.txt => argument archive: expected a name that ends in .tar.gz
import bilm folder.tar.gz => argument archive: expected the name of a file, found a directory
import bilm missing/x.tar.gz => missing/x.tar.gz: expected the directory
import '' x.tar.gz => argument BILM: expected a path
index '' out => argument text: expected a path
index text.txt '' => argument directory: expected a path
index text.txt folder --bilm bilm => folder: expected nothing there
index text.txt text.txt/out --bilm bilm => text.txt: File exists
index text.txt out --bilm bilm --layers 7 => layers: expected average, last or a layer of bilm, 0 to
index text.txt out --bilm bilm --layers x => argument --layers: expected average, last or the index
neighbors '' --query play 'a play' --vectors vectors.txt => argument INDEX: expected a path
neighbors folder --query play 'a play' --vectors vectors.txt => folder: expected an index
neighbors index --query x 'a play' --vectors vectors.txt => --query: expected 'x'
neighbors index --query play 'a play' --vectors missing => missing: No such file
neighbors index --query play 'a play' --vectors folder => folder: Is a directory
neighbors index --query play 'a play' --vectors vectors.txt --out '' => argument --out: expected the
neighbors index --query play 'a play' --vectors vectors.txt --out folder/ => argument --out:
neighbors index --query play 'a play' --vectors vectors.txt --out x.md => --out: expected a name
neighbors index --query play 'a play' --vectors vectors.txt --out text.txt/x => text.txt/x: expected
embed '' x.hdf5 => argument input: expected a path
embed text.txt '' --bilm bilm => argument out: expected a path
embed text.txt folder --bilm bilm => folder: expected a name that ends in .hdf5
embed text.txt folder --bilm bilm --format packed => folder: expected the name of a file, found
embed text.txt folder/ --bilm bilm => folder: expected nothing there
embed text.txt missing/x.hdf5 --bilm bilm => missing/x.hdf5: expected the directory missing
embed text.txt x.npy --bilm bilm => npy: expected pooling mean or max
embed text.txt x.hdf5 --bilm bilm --pooling mean => packed: expected no pooling
embed text.txt x.hdf5 --bilm bilm --layers mix => layers: got 'mix', which a biLM alone has not
embed text.txt x.hdf5 --bilm bilm --layers 9 => layers: expected 'all'
embed text.txt x.hdf5 --bilm bilm --layers top => argument --layers: expected all, average
embed text.txt x.hdf5 --bilm bilm --workers 0 => argument --workers: expected an integer
embed text.txt x.hdf5 --bilm bilm --input-format jsonl => text.txt, line 1: expected JSON
embed missing.json x.hdf5 --bilm bilm => file missing.json not found
embed broken.json x.hdf5 --bilm bilm => broken.json:1:2: unexpected: end of file
embed broken.jsonnet x.hdf5 --bilm bilm => broken.jsonnet:1:6: unexpected end
embed list.json x.hdf5 --bilm bilm => list.json: expected an object
embed object.json x.hdf5 --bilm bilm => object.json: expected a configuration with a dataset_reader
embed object.json x.hdf5 --bilm bilm -o 3 => overrides: expected an object, got 3
embed object.json x.hdf5 --bilm bilm -o '[]' => overrides: expected an object, got []
embed object.json x.hdf5 --bilm bilm -o '{' => overrides: STATIC ERROR: 1:2: unexpected:
embed object.json x.hdf5 --bilm bilm -o '{"b.c": 1}' => overrides dict contains unused keys: ['b.c']
embed object.json x.hdf5 --bilm bilm -o '{"a.c": 1}' => overrides for 'a.*' expected list or dict
embed object.json x.hdf5 --bilm bilm -o "import 'folder'" => overrides: RUNTIME ERROR: couldn't
probe '' text.txt --vectors vectors.txt => argument train: expected a path
probe text.txt text.txt --labels labels.txt short.txt --vectors vectors.txt => short.txt, line 2
probe text.txt missing --labels labels.txt labels.txt --vectors vectors.txt => missing: No such
probe text.txt text.txt --labels labels.txt '' --vectors vectors.txt => argument --labels: expected
probe text.txt text.txt --vectors vectors.txt => text.txt, line 1: expected the 10 columns of
probe text.txt text.txt --bilm bilm --cove missing => cove missing: expected the static vectors
probe text.txt text.txt --column x --vectors vectors.txt => column: expected one of id, form
probe text.txt text.txt --labels one.txt labels.txt --bilm bilm --vectors vectors.txt => two classes
senses senses.jsonl text.txt --vectors vectors.txt => text.txt, line 1: expected JSON
senses missing senses.jsonl --vectors vectors.txt => missing: No such file
senses list.json senses.jsonl --vectors vectors.txt => list.json, line 1: tokens: expected a list
senses object.json senses.jsonl --vectors vectors.txt => object.json, line 1: tokens: expected a
senses deep.json senses.jsonl --vectors vectors.txt => deep.json, line 1: expected JSON
senses outside.jsonl senses.jsonl --vectors vectors.txt => outside.jsonl, line 1: senses: expected
senses text_of_tokens.jsonl senses.jsonl --vectors vectors.txt => line 1: tokens: expected a list
senses number.jsonl senses.jsonl --vectors vectors.txt => number.jsonl, line 1: senses: expected a
senses senses.jsonl senses.jsonl --vectors vectors.txt --lemma go.v => --lemma go.v: expected a
senses senses.jsonl senses.jsonl --vectors vectors.txt --first-senses text.txt => text.txt, line 1
senses senses.jsonl senses.jsonl --vectors vectors.txt --first-senses '' => argument --first-senses
mix '' => argument ARCHIVE: expected a path
mix object.json => object.json: expected a finished training run
mix list.json => list.json: expected a finished training run
mix broken.json => broken.json: expected JSON
mix deep.json => deep.json: expected JSON
mix ner.tar.gz => ner.tar.gz: expected a model with a mix
report table.json --out '' => argument --out: expected the name of a file
report table.json --out folder => argument --out: expected the name of a file, found a directory
report table.json --out table.json => table.json: expected an output file that is not
report folder --out x.html => folder: expected tables, found none
report object.json --out x.html => object.json: title: expected a table
report deep.json --out x.html => deep.json: expected JSON
layers missing elmo.jsonnet => missing: expected a configuration
layers config.jsonnet folder => folder: expected a configuration
layers object.json elmo.jsonnet => object.json: dataset_reader: expected an object
layers config.jsonnet elmo.jsonnet --overrides '{' => config.jsonnet with the overrides {
layers config.jsonnet elmo.jsonnet --overrides '3' => config.jsonnet with the overrides 3
layers config.jsonnet elmo.jsonnet --overrides '"x"' => config.jsonnet: dataset_reader: expected
layers config.jsonnet elmo.jsonnet --overrides "import 'folder'" => config.jsonnet with the
layers config.jsonnet elmo.jsonnet --seeds 1 1 => seeds: expected distinct ones
layers config.jsonnet elmo.jsonnet --runs text.txt => argument --runs: expected the name of a
placement config.jsonnet => CONFIG: expected two or more
tasks nope => TASK: expected some of squad, snli, srl, coref, ner, sst5, got nope
tasks ner --task-overrides '' => argument --task-overrides: expected a path
tasks ner --runs text.txt => argument --runs: expected the name of a directory
fine-tuning --bilm bilm => snli: train_data_path: expected an existing file
fine-tuning --overrides '{' => snli/baseline.jsonnet with the overrides {
placement config.jsonnet config.jsonnet => CONFIG: expected two or more of different names
curve config.jsonnet elmo.jsonnet --fractions 1 0.1 => fractions: expected ascending ones
controls nope => CONFIG: expected a task (squad, snli, srl, coref, ner, sst5), or
ensemble text.txt sst5.tar.gz => ARCHIVE: expected two or more, got 1
simple-baselines nope => TASK: expected some of squad, snli, srl, coref, ner, sst5, got nope
train missing -s run => file missing not found
train folder -s run => folder: expected a file, found a directory
train '' -s run => argument param_path: expected a path
train list.json -s run => list.json: expected an object
train broken.jsonnet -s run => broken.jsonnet:1:6: unexpected end of file
train config.jsonnet -s '' => argument --serialization-dir: expected a path
train config.jsonnet -s text.txt => argument --serialization-dir: expected the name of a directory
train config.jsonnet -s run -o '"x"' => overrides: expected an object
train config.jsonnet -s run -o '{"trainer.x.y": 1}' => overrides dict contains unused keys
find-lr object.json -s run => trainer: expected an object
find-lr config.jsonnet -s run --start-lr 20 => argument --start-lr: expected less than --end-lr
find-lr config.jsonnet -s run --start-lr nan => argument --start-lr: expected a number above 0
predict '' sentence.jsonl => argument archive_file: expected a path
predict ner.tar.gz '' => argument input_file: expected a path
predict ner.tar.gz missing => file missing not found
predict ner.tar.gz folder => folder: Is a directory
predict ner.tar.gz empty.txt => empty.txt: expected lines of JSON, found none
predict ner.tar.gz sentence.jsonl --output-file '' => argument --output-file: expected the name of a
predict ner.tar.gz sentence.jsonl --output-file folder => argument --output-file: expected the name
predict ner.tar.gz sentence.jsonl --output-file missing/x => missing/x: expected the directory
predict ner.tar.gz sentence.jsonl --output-file sentence.jsonl => sentence.jsonl: expected an output
predict ner.tar.gz sentence.jsonl --output-file ner.tar.gz => ner.tar.gz: expected an output file
predict ner.tar.gz sentence.jsonl --silent => argument --silent: expected --output-file, found none
predict ner.tar.gz sentence.jsonl --predictor nope => 'nope' is not a registered
predict ner.tar.gz sentence.jsonl --predictor .. => --predictor ..: expected the name of a predictor
predict ner.tar.gz sentence.jsonl --predictor os.system => --predictor os.system: expected the name
predict ner.tar.gz sentence.jsonl --predictor-args '[]' => argument --predictor-args: expected a
predict ner.tar.gz sentence.jsonl --predictor-args '{' => argument --predictor-args: expected a JSON
predict ner.tar.gz sentence.jsonl --predictor-args '{"x": 1}' => unexpected keyword argument 'x'
evaluate ner.tar.gz missing => file missing not found
evaluate ner.tar.gz '' => argument input_file: expected a path
evaluate ner.tar.gz 0 => argument input_file: expected a path
evaluate ner.tar.gz sentence.jsonl => error: sentence.jsonl, line 1: expected 4 columns
evaluate sst5.tar.gz tree.txt => error: tree.txt, line 2: expected a sentiment from 0 to 4
evaluate ner.tar.gz ship.conll => error: ship.conll, instance 1: expected labels of the vocabulary
evaluate srl.tar.gz text.txt => error: text.txt: expected a directory of files
evaluate coref.tar.gz text.txt => error: text.txt, line 1: expected 12 columns, found 5
evaluate bilm.tar.gz text.txt --output-file missing/x => missing/x: expected the directory missing
evaluate bilm.tar.gz text.txt --output-file folder => argument --output-file: expected the name of a
evaluate bilm.tar.gz text.txt --output-file text.txt => text.txt: expected an output file
evaluate bilm.tar.gz text.txt --output-file a,b => argument --output-file: expected a file for each
evaluate bilm.tar.gz text.txt --predictions-output-file text.txt => text.txt: expected an output
evaluate bilm.tar.gz text.txt --embedding-sources-mapping 3 => mapping: expected a JSON object, got
evaluate bilm.tar.gz text.txt --batch-weight-key nope => --batch-weight-key nope: expected
build-vocab config.jsonnet x => should end with '.tar.gz'
evaluate bilm.tar.gz text.txt --output-file x --predictions-output-file ./x => expected a different
print-results missing -k x => missing: expected a directory
print-results . => required: -k/--keys
print-results . -k x -m list.json => list.json: expected an object
print-results . -k x -m text.txt => text.txt: expected JSON
"""
NUMBER_ARGUMENTS = {
    "perplexity text.txt --bilm bilm --batch-size": (),
    "perplexity text.txt --bilm bilm --cuda-device": ("-1", "0"),
    "embed text.txt x.hdf5 --bilm bilm --cuda-device": ("-1", "0"),
    "index text.txt out --bilm bilm --random": ("0",),
    "index text.txt out --bilm bilm --batch-size": (),
    "index text.txt out --bilm bilm --cuda-device": ("-1", "0"),
    "neighbors index --query play 'a play' --cuda-device": ("-1", "0"),
    "probe text.txt text.txt --batch-size": (),
    "senses senses.jsonl senses.jsonl --cuda-device": ("-1", "0"),
    "fine-tuning --batch-size": (),
    "fine-tuning --cuda-device": ("-1", "0"),
    "neighbors index --query play 'a play' --vectors vectors.txt --top-k": (),
    "probe text.txt text.txt --vectors vectors.txt --sentences": (),
    "probe text.txt text.txt --vectors vectors.txt --samples": (),
    "probe text.txt text.txt --vectors vectors.txt --seed": ("0",),
    "senses senses.jsonl senses.jsonl --vectors vectors.txt --seed": ("0",),
    "layers config.jsonnet elmo.jsonnet --fraction": (),
    "layers config.jsonnet elmo.jsonnet --seeds": ("0",),
    "placement config.jsonnet elmo.jsonnet --fraction": (),
    "curve config.jsonnet elmo.jsonnet --fractions": (),
    "predict ner.tar.gz sentence.jsonl --batch-size": (),
    "predict ner.tar.gz sentence.jsonl --cuda-device": ("-1", "0"),
    "evaluate bilm.tar.gz text.txt --batch-size": (),
    "evaluate bilm.tar.gz text.txt --cuda-device": ("-1", "0"),
}
# Of each task, where words are due; and what else makes the input whole.
WORDS = {
    "bilm": {"sentence": {}},
    "ner": {"sentence": {}},
    "sst5": {"sentence": {}},
    "srl": {"sentence": {}},
    "snli": {
        "premise": {"hypothesis": "She saw a play ."},
        "hypothesis": {"premise": "She saw a play ."},
    },
    "squad": {
        "question": {"passage": "She saw a play ."},
        "passage": {"question": "She saw a play ."},
    },
    "coref": {"document": {}},
}
NO_WORDS = (3, True, None, {"a": 1}, ["a", 3], ["a", ""], [["a", 3]], [[""]], "a \ud800")
EMPTY = ("", " ", [])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "folder").mkdir()
    (folder / "folder.tar.gz").mkdir()
    write_bilm(folder / "text.txt", folder / "bilm")
    build_index(
        str(folder / "text.txt"), str(folder / "index"), IndexConfig("last", f"{folder}/bilm")
    )
    import_plugins()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        elmo(patch, "import", folder / "bilm", folder / "bilm.tar.gz")
        for task in TASKS:
            run = tmp_path_factory.mktemp(task) / "run"
            archive_task(task, folder / f"{task}.tar.gz", run)
    return folder


@pytest.fixture(autouse=True)
def nothing_is_lost(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(folder)
    # They are there.
    monkeypatch.setattr(commands, "import_plugins", lambda: None)
    before = contents(folder)
    yield
    assert contents(folder) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {str(f): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_an_error_names_what_is_wrong(
    case: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command, expected = case.split(" => ")
    assert expected in elmo_error(monkeypatch, capsys, *shlex.split(command))


@pytest.mark.parametrize("name", COMMANDS)
def test_allennlp_runs_each_command(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give `allennlp` a command with an error that is found after its arguments are parsed."""
    cases = [case.split(" => ") for case in CASES.splitlines() if case.startswith(f"{name} ")]
    command, expected = next(case for case in cases if not case[1].startswith("argument "))
    monkeypatch.setattr("sys.argv", ["allennlp", *shlex.split(command)])
    with pytest.raises((ConfigurationError, OSError), match=re.escape(expected)):
        commands.main(prog="allennlp")


@pytest.mark.parametrize("command", NUMBER_ARGUMENTS)
def test_numbers_out_of_range_are_refused(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = shlex.split(command)
    name = given.pop()
    for number in set(NUMBERS) - {*NUMBER_ARGUMENTS[command]}:
        found = elmo_error(monkeypatch, capsys, *given, f"{name}={number}")
        assert f"argument {name}: " in found and repr(number) in found


@pytest.mark.parametrize("command", [c for c in NUMBER_ARGUMENTS if c.endswith("cuda-device")])
def test_a_gpu_that_is_not_there(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gpus = torch.cuda.device_count()
    for number in (gpus, 99, -2):
        found = elmo_error(monkeypatch, capsys, *shlex.split(f"{command}={number}"))
        assert f"expected -1 for the CPU, or the index of a GPU (found {gpus}," in found


@pytest.mark.parametrize("task", WORDS)
def test_predict_names_the_line_and_keeps_what_was_predicted(
    task: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given, predicted = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    predict = ("predict", f"{task}.tar.gz", given, "--output-file", predicted)
    keys = list(WORDS[task])
    whole = dict.fromkeys(keys, "She saw a play .")

    def error(line: str, *options: str) -> str:
        given.write_text(f"{json.dumps(whole)}\n\n{line}\n")
        return elmo_error(monkeypatch, capsys, *predict, *options)

    for line in ("{", "x", "[" * 100_000, "[]", "[{}]", "3", "null", '"x"'):
        assert f"{given}, line 3: expected " in error(line)
        assert len(predicted.read_text().splitlines()) == 1
    for key in keys:
        rest = WORDS[task][key]
        assert f"{given}, line 3: expected the key '{key}'" in error(json.dumps(rest))
        predicted.unlink()
        assert f"{given}, line 3: expected the key" in error(json.dumps(rest), "--batch-size", "2")
        assert len(predicted.read_text().splitlines()) == 1
        no_words = [*NO_WORDS, *(EMPTY if task != "bilm" else ())]
        for value in no_words if task != "bilm" else no_words[:-1]:
            assert f"{given}, line 3: " in error(json.dumps({**rest, key: value})), value


def test_instances_with_and_without_labels_are_predicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, predicted = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    pair = {"sentence1": "It rained.", "sentence2": "It was dry."}
    labels = ("neutral", None, "entailment")
    given.write_text("".join(json.dumps({**pair, "gold_label": x}) + "\n" for x in labels))
    for size in (1, 2):
        options = ("--output-file", predicted, "--silent", "--batch-size", size)
        elmo(monkeypatch, "predict", "snli.tar.gz", given, "--use-dataset-reader", *options)
        assert len(predicted.read_text().splitlines()) == len(labels)
        predicted.unlink()


def test_silent_predictions_show_their_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0)
    given = tmp_path / "in.jsonl"
    given.write_text(f"{FILES['sentence.jsonl']}\n" * 3)
    predict = ("predict", "ner.tar.gz", given, "--output-file", tmp_path / "out.jsonl")
    elmo(monkeypatch, *predict, "--silent")
    printed = capsys.readouterr()
    assert re.findall(r"^predicting: (\d) lines", printed.err, re.MULTILINE)[-1] == "3"
    assert printed.out == ""
    elmo(monkeypatch, *predict)
    assert "predicting: " not in capsys.readouterr().err


def test_traceback_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "missing" in elmo_error(monkeypatch, capsys, "info", "missing")
    assert "Traceback" not in capsys.readouterr().err
    monkeypatch.setenv("ALLENNLP_DEBUG", "1")
    assert "missing" in elmo_error(monkeypatch, capsys, "info", "missing")
    assert "Traceback" in capsys.readouterr().err


def test_predict_does_not_empty_a_file_before_there_is_something_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "predicted").write_text("of yesterday")
    for name in ("object.json", "text.txt", "missing", "ner.tar.gz", "empty.txt"):
        elmo_error(
            *(monkeypatch, capsys, "predict", "ner.tar.gz", name),
            *("--output-file", tmp_path / "predicted"),
        )
        assert (tmp_path / "predicted").read_text() == "of yesterday"


@pytest.mark.parametrize("predicates", [3, "01", {}, [2], [-1], ["a"], [True], [0.0], [None]])
def test_predicates_out_of_range(
    predicates: object,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "in").write_text(json.dumps({"sentence": "a b", "predicates": predicates}))
    found = elmo_error(monkeypatch, capsys, "predict", "srl.tar.gz", tmp_path / "in")
    assert f"{tmp_path / 'in'}, line 1: predicates: expected" in found


@pytest.mark.parametrize(
    "command",
    [
        "report table.json --out {}/report.html",  # written at the end
        "predict bilm.tar.gz {}/many.jsonl",  # more than a buffer
    ],
)
def test_a_reader_that_has_enough_ends_a_command_quietly(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Close the pipe, as `elmo ... | head` does."""
    (tmp_path / "many.jsonl").write_text(f"{FILES['sentence.jsonl']}\n" * 200)
    read, write = os.pipe()
    os.close(read)
    with monkeypatch.context() as patch, os.fdopen(write, "w") as closed:
        patch.setattr("sys.stdout", closed)
        patch.setattr("sys.argv", ["elmo", *shlex.split(command.format(tmp_path))])
        patch.setattr(commands, "ArgumentParserWithDefaults", commands.ArgumentParserWithDefaults)
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 1
