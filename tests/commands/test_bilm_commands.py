"""`elmo export` and `elmo perplexity` on a biLM that was trained for a moment."""

import json
import math
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import h5py
import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import load_archive
from torch.testing import assert_close

from elmo_plugin.experiments.intrinsic.perplexity import UnigramModel
from elmo_plugin.layers import batch_to_ids
from elmo_plugin.models.loading import load_bilm_from
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.resolve import BUILT_IN_FOLDER
from tests.helpers.command_line import elmo

ROOT = Path(__file__).parent.parent.parent
SMALL = {
    "trainer.num_epochs": 1,
    "data_loader.batches_per_epoch": 5,
    "model.cell_dim": 8,
    "model.projection_dim": 4,
    "model.filters": [[1, 4], [2, 4]],
}
TEXT = ["It is late .", "Oslo , at last !", "An unseen wörd"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("bilm") / "run"
    config = ROOT / "training_configs" / "bilm" / "mini.jsonnet"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        elmo(patch, "train", config, "-s", directory, "-o", json.dumps(SMALL))
    return directory


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "text.txt"
    file.write_text("\n".join(TEXT) + "\n", encoding="utf-8")
    return file


def test_export_writes_the_trained_weights(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elmo(monkeypatch, "export", trained / "model.tar.gz", tmp_path / "new" / "bilm")

    model = load_archive(trained / "model.tar.gz").model
    files = tmp_path / "new" / "bilm"
    exported = load_bilm(files / "options.json", files / "weights.hdf5")
    for name, weight in model.bilm.state_dict().items():
        assert torch.equal(exported.state_dict()[name], weight), name
    with h5py.File(files / "softmax.hdf5") as softmax:
        assert numpy.array_equal(softmax["softmax/W"], model.softmax.weight.detach())
        assert numpy.array_equal(softmax["softmax/b"], model.softmax.bias.detach())
    words = (files / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    assert words[:3] == ["<S>", "</S>", "<UNK>"]
    assert [model.vocab.get_token_index(word, "bilm") for word in words] == list(range(len(words)))


def test_export_in_half_the_size(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elmo(monkeypatch, "export", trained, tmp_path, "--float16")
    for name in ("weights", "softmax"):
        with h5py.File(tmp_path / f"{name}.hdf5") as file:
            types: set[str] = set()
            file.visititems(lambda _, item, t=types: t.add(str(getattr(item, "dtype", "float16"))))
        assert types == {"float16"}
    exported = load_bilm(tmp_path / "options.json", tmp_path / "weights.hdf5")
    for name, weight in load_archive(trained).model.bilm.state_dict().items():
        assert torch.equal(exported.state_dict()[name], weight.half().float()), name


def test_import_is_the_inverse_of_export(
    trained: Path, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elmo(monkeypatch, "export", trained, tmp_path / "files")
    elmo(monkeypatch, "import", tmp_path / "files", tmp_path / "model.tar.gz")
    archives = [load_archive(path) for path in (trained, tmp_path / "model.tar.gz")]
    states = [archive.model.state_dict() for archive in archives]
    assert states[0].keys() == states[1].keys()
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    assert [a.model.vocab._token_to_index for a in archives] == [
        archives[0].model.vocab._token_to_index
    ] * 2
    for archive, name in zip((trained, tmp_path / "model.tar.gz"), "ab"):
        elmo(monkeypatch, "evaluate", archive, text, "--output-file", tmp_path / name)
    scores = [json.loads((tmp_path / name).read_text())["perplexity"] for name in "ab"]
    assert scores[0] == pytest.approx(scores[1], rel=1e-6)


def test_a_bilm_is_found_in_whatever_form(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elmo(monkeypatch, "export", trained, tmp_path / "bilm")
    (tmp_path / "published").mkdir()
    for name in ("options.json", "weights.hdf5"):
        shutil.copy(tmp_path / "bilm" / name, tmp_path / "published" / f"elmo_2x8_4_{name}")
    ids = batch_to_ids([sentence.split() for sentence in TEXT])
    archived = load_archive(trained / "model.tar.gz").model.eval().bilm
    expected = archived.requires_grad_(False)(ids).layers
    forms = ("bilm", "bilm/weights.hdf5", "published/elmo_2x8_4_weights.hdf5")
    paths = [trained, trained / "model.tar.gz", *(tmp_path / form for form in forms)]
    for path in paths:
        bilm = load_bilm_from(str(path))
        assert not any(weight.requires_grad for weight in bilm.parameters())
        assert_close(bilm(ids).layers, expected, rtol=0, atol=0)
    with pytest.raises(ConfigurationError, match="expected the files of a biLM, which may"):
        load_bilm_from(str(trained), "warm")
    with pytest.raises(FileNotFoundError, match=r"other_options\.json"):
        load_bilm_from(str(tmp_path / "other_weights.hdf5"))


def test_files_without_a_softmax_are_no_language_model(
    trained: Path, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elmo(monkeypatch, "export", trained, tmp_path)
    (tmp_path / "softmax.hdf5").unlink()
    with pytest.raises(SystemExit, match=r"expected softmax.hdf5 beside the weights"):
        elmo(monkeypatch, "perplexity", text, "--bilm", tmp_path)


def test_a_warm_state_is_what_sentences_leave_behind(
    trained: Path, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elmo(monkeypatch, "export", trained, tmp_path, "--warm-state", text)
    options, weights = tmp_path / "options.json", tmp_path / "weights.hdf5"
    warm = load_bilm(options, weights, "warm")
    carried = load_bilm(options, weights, "carried")
    carried(batch_to_ids(sorted((sentence.split() for sentence in TEXT), key=len)))
    for hidden, cell, (left_hidden, left_cell) in zip(
        warm.warm_hidden, warm.warm_cell, carried.carried.states
    ):
        assert_close(hidden[:, 0], left_hidden.mean(1))
        assert_close(cell[:, 0], left_cell.mean(1))


def test_perplexity_of_the_built_in_bilm(
    text: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elmo(monkeypatch, "perplexity", text)
    built_in = capsys.readouterr().out
    elmo(monkeypatch, "perplexity", text, "--bilm", BUILT_IN_FOLDER)
    assert capsys.readouterr().out == built_in


def test_perplexity_with_carried_state(
    text: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    values = []
    for arguments in ((), ("--initial-state", "carried"), ("--initial-state", "zero")):
        elmo(monkeypatch, "perplexity", text, "--json", "--batch-size", 1, *arguments)
        values.append(json.loads(capsys.readouterr().out)["perplexity"])
    assert values[0] == values[2] != values[1]


def test_perplexity_with_bfloat16_matrices_is_near(
    text: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    values = []
    for precision in ("float32", "bfloat16"):
        elmo(monkeypatch, "perplexity", text, "--precision", precision, "--json")
        values.append(json.loads(capsys.readouterr().out)["perplexity"])
    assert values[0] != values[1]
    assert values[1] == pytest.approx(values[0], rel=0.02)


def test_embed_with_bfloat16_matrices_is_near(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers = []
    for precision in ("float32", "bfloat16"):
        out = tmp_path / f"{precision}.hdf5"
        elmo(monkeypatch, "embed", text, out, "--precision", precision)
        with h5py.File(out) as file:
            layers.append(torch.from_numpy(file["layers"][:]))
    assert 0 < (layers[1] - layers[0]).norm() < 0.02 * layers[0].norm()


def test_export_of_another_model_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    run = tmp_path / "tagger"
    small = {"trainer.num_epochs": 1, "data_loader.batch_sampler.batch_size": 256}
    elmo(
        monkeypatch,
        *("train", "training_configs/ner/baseline.jsonnet", "-s", run, "-o", json.dumps(small)),
    )
    with pytest.raises(SystemExit, match="expected a model of type bilm, found ElmoCrfTagger"):
        elmo(monkeypatch, "export", run, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_perplexity_prints_what_the_model_predicts(
    trained: Path,
    text: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    elmo(monkeypatch, "perplexity", text, "--bilm", trained, "--unigram", text, "--batch-size", "2")
    printed = dict(re.findall(r"^(\w*perplexity) +([\d.]+)$", capsys.readouterr().out, re.M))

    archive = load_archive(trained)
    reader, model = archive.validation_dataset_reader, archive.model.eval()
    outputs = [model.forward_on_instance(reader.text_to_instance(s.split())) for s in TEXT]
    predictions = sum(len(s.split()) + 1 for s in TEXT)
    means = [
        -sum(float(output[f"{direction}_log_likelihood"]) for output in outputs) / predictions
        for direction in ("forward", "backward")
    ]
    expected = {
        "forward_perplexity": math.exp(means[0]),
        "backward_perplexity": math.exp(means[1]),
        "perplexity": math.exp(sum(means) / 2),
    }
    for name, value in expected.items():
        assert float(printed[name]) == pytest.approx(value, abs=1e-3)
    assert float(printed["unigram_perplexity"]) > 1


def test_perplexity_says_how_many_words_are_unknown(
    trained: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    known = load_archive(trained).model.vocab.get_token_to_index_vocabulary("bilm")
    text = tmp_path / "text.txt"
    for words in (TEXT, ["unheard of"], [" ".join(list(known)[3:9])], ["<UNK> </S> late"]):
        text.write_text("\n".join(words))
        elmo(monkeypatch, "perplexity", text, "--bilm", trained)
        (printed,) = re.findall(r"^unknown_words +([\d.]+)%$", capsys.readouterr().out, re.M)
        each = [word in known and word != "<UNK>" for word in " ".join(words).split()]
        assert float(printed) == pytest.approx(100 * each.count(False) / len(each), abs=0.005)


def test_a_unigram_model_counts_words_sentence_ends_and_unknown_words() -> None:
    word_ids = {word: i for i, word in enumerate(["<S>", "</S>", "<UNK>", "a", "b"])}
    train = [["a", "a", "b"], ["a", "x"]]
    # a 3, b 1, <UNK> 1, </S> 2, and one more of each of five words
    chances = {"a": 4 / 12, "b": 2 / 12, "<UNK>": 2 / 12, "</S>": 3 / 12}
    text = Counter({"b": 1, "<UNK>": 2, "</S>": 1})
    entropy = -sum(n * math.log(chances[word]) for word, n in text.items()) / 4

    found = UnigramModel(train, word_ids).perplexity([["b", "y", "z"]])

    assert found == pytest.approx(math.exp(entropy))


def test_a_text_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match=re.escape(str(tmp_path / "none*.txt"))):
        elmo(monkeypatch, "perplexity", tmp_path / "none*.txt")


def test_an_error_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "elmo_plugin", "perplexity", str(tmp_path / "none")]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == 1
    assert "Traceback" not in process.stderr
    last = process.stderr.splitlines()[-1]
    assert last.startswith(f"elmo: error: {tmp_path / 'none'}: expected a text file")
