"""`Embedder` gives the biLM's vectors of each sentence, in order."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import archive_model, load_archive

from elmo_plugin import Embedder, load_bilm
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.selection import layer_selection
from elmo_plugin.embedding.tokenizer import tokenize
from elmo_plugin.layers import Bilm, ScalarMix, batch_to_ids
from elmo_plugin.models.loading import load_bilm_from
from tests.helpers.command_line import elmo, run_process
from tests.helpers.random_bilm import SENTENCES, Files, random_bilm, save
from tests.helpers.untrained import write_task

ROOT = Path(__file__).parents[2]

RAW = ["The river bank was muddy.", "", "Don't open the bank!"]


@pytest.fixture(scope="module")
def bilm() -> Bilm:
    return random_bilm()


def _expected(bilm: Bilm, sentence: list[str]) -> numpy.ndarray:
    """Shape (tokens, layers, dim), of the sentence alone."""
    with torch.no_grad():
        return bilm(batch_to_ids([sentence])).layers[:, 0].transpose(0, 1).numpy()


def _assert_near(found: numpy.ndarray, expected: numpy.ndarray) -> None:
    numpy.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("batch_size", [1, 2, 128])
def test_all_layers_equal_the_bilm(bilm: Bilm, batch_size: int) -> None:
    found = Embedder(bilm).encode(SENTENCES * 3, layers="all", batch_size=batch_size)
    assert len(found) == 3 * len(SENTENCES)
    for vectors, sentence in zip(found, SENTENCES * 3, strict=True):
        assert vectors.dtype == numpy.float32
        _assert_near(vectors, _expected(bilm, sentence))


def test_layers_are_those_of_all(bilm: Bilm) -> None:
    embedder = Embedder(bilm)
    every = embedder.encode(SENTENCES, layers="all")
    for layer in range(embedder.num_layers):
        for vectors, of_all in zip(embedder.encode(SENTENCES, layers=layer), every, strict=True):
            _assert_near(vectors, of_all[:, layer])
    for index in (2, numpy.int64(2)):
        both = embedder.encode(SENTENCES, "last"), embedder.encode(SENTENCES, index)
        for vectors, last in zip(*both, strict=True):
            numpy.testing.assert_array_equal(vectors, last)
    for vectors, of_all in zip(embedder.encode(SENTENCES), every, strict=True):
        _assert_near(vectors, of_all.mean(1))


def test_the_token_layer_needs_no_lstm() -> None:
    bilm = random_bilm()
    sentences = [*SENTENCES, [], ["bank"]]
    expected = [_expected(bilm, sentence)[:, 0] for sentence in sentences if sentence]
    embedder = Embedder(bilm)
    runs: list[int] = []
    bilm.lstm.register_forward_pre_hook(lambda *_: runs.append(1))
    found = embedder.encode(sentences, layers=0)
    assert not runs
    assert [len(vectors) for vectors in found] == [len(sentence) for sentence in sentences]
    for vectors, same in zip(filter(len, found), expected, strict=True):
        _assert_near(vectors, same)


@pytest.mark.parametrize("layers", ["average", "all"])
def test_pooled_vectors_are_those_of_the_tokens(bilm: Bilm, layers: str) -> None:
    embedder = Embedder(bilm)
    tokens = embedder.encode([*SENTENCES, []], layers)
    mean = embedder.encode([*SENTENCES, []], layers, pooling="mean")
    most = embedder.encode([*SENTENCES, []], layers, pooling="max")
    for row, vectors in enumerate(tokens[:-1]):
        _assert_near(mean[row], vectors.mean(0))
        _assert_near(most[row], vectors.max(0))
    assert not mean[-1].any() and not most[-1].any()
    assert mean.shape == (len(SENTENCES) + 1, *tokens[0].shape[1:])
    assert embedder.encode([], layers, pooling="mean").shape == (0, *tokens[0].shape[1:])


def test_another_default_type_changes_nothing(bilm: Bilm) -> None:
    torch.set_default_dtype(torch.float64)
    try:
        tokens = Embedder(bilm).encode(["A bank.", ""])
        pooled = Embedder(bilm).encode(["A bank.", ""], pooling="mean")
    finally:
        torch.set_default_dtype(torch.float32)
    assert {found.dtype for found in (*tokens, pooled)} == {numpy.dtype("float32")}


def test_raw_text_is_tokenized(bilm: Bilm) -> None:
    found = Embedder(bilm).encode(RAW)
    for vectors, same in zip(found, Embedder(bilm).encode(list(map(tokenize, RAW))), strict=True):
        numpy.testing.assert_array_equal(vectors, same)
    assert [len(vectors) for vectors in found] == [6, 0, 6]


def test_streams_read_a_window_at_a_time(bilm: Bilm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elmo_plugin.embedding.encode._WINDOW", 4)
    read = []

    def text() -> object:
        for number, sentence in enumerate(SENTENCES * 2):
            read.append(number)
            yield sentence

    embedder = Embedder(bilm)
    stream = embedder.stream(text(), layers="last")
    first = next(stream)
    assert len(read) == 4
    assert first.base.untyped_storage().nbytes() == first.nbytes  # not those of its batch
    for vectors, sentence in zip([first, *stream], SENTENCES * 2, strict=True):
        _assert_near(vectors, _expected(bilm, sentence)[:, -1])
    for vectors, sentence in zip(embedder.stream(text(), "last", "mean"), SENTENCES, strict=False):
        _assert_near(vectors, _expected(bilm, sentence)[:, -1].mean(0))


def test_streams_check_their_arguments_at_once(bilm: Bilm) -> None:
    embedder = Embedder(bilm)
    with pytest.raises(ValueError, match="sentences: expected a list, got 'text'"):
        embedder.stream("text")
    with pytest.raises(ValueError, match="layers: expected"):
        embedder.stream(RAW, layers=3)
    with pytest.raises(ValueError, match="batch_size: expected a positive integer"):
        embedder.stream([], batch_size=0)


@pytest.mark.parametrize("layers", ["last", 0])
def test_progress_counts_embedded_sentences(
    layers: Any, bilm: Bilm, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("elmo_plugin.common.progress._SECONDS_BETWEEN_LINES", 0)
    embedder, sentences = Embedder(bilm), [*SENTENCES, [], ["more"]]
    embedder.encode(sentences, layers, batch_size=2, show_progress_bar=True)
    counts = [int(n) for n in re.findall(rf"(\d+)/{len(sentences)}", capsys.readouterr().err)]
    assert counts[-1] == len(sentences) and counts == sorted(counts)
    assert (len(set(counts)) > 3) == (layers == "last")
    embedder.encode((sentence for sentence in sentences), layers, show_progress_bar=True)
    assert f" {len(sentences)} sentences" in capsys.readouterr().err
    embedder.encode(sentences, layers)
    assert not capsys.readouterr().err


def test_tensors_hold_the_same_values(bilm: Bilm) -> None:
    embedder = Embedder(bilm)
    for tensor, array in zip(
        embedder.encode(SENTENCES, convert_to_tensor=True), embedder.encode(SENTENCES)
    ):
        assert isinstance(tensor, torch.Tensor) and not tensor.requires_grad
        numpy.testing.assert_array_equal(tensor.numpy(), array)
        # It does not keep the vectors of its whole batch.
        assert tensor.untyped_storage().nbytes() == tensor.nbytes
    pooled = embedder.encode(SENTENCES, pooling="mean", convert_to_tensor=True)
    assert isinstance(pooled, torch.Tensor)


def test_files_folders_and_loaded_bilms_give_the_same(tmp_path: Path, bilm: Bilm) -> None:
    files: Files = save(bilm, tmp_path)
    found = [
        Embedder.from_files(*files),
        Embedder(tmp_path),
        Embedder(str(files.weights)),
        Embedder(load_bilm(*files)),
    ]
    (first, *others) = [embedder.encode(SENTENCES) for embedder in found]
    for other in others:
        for vectors, same in zip(first, other, strict=True):
            numpy.testing.assert_array_equal(vectors, same)


def test_bfloat16_is_near(bilm: Bilm) -> None:
    exact = Embedder(random_bilm()).encode(SENTENCES, pooling="mean")
    near = Embedder(random_bilm(), precision="bfloat16").encode(SENTENCES, pooling="mean")
    assert 0 < numpy.linalg.norm(near - exact) < 0.02 * numpy.linalg.norm(exact)


def test_mix_is_the_task_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    run = tmp_path / "tagger"
    small = {"trainer.num_epochs": 1, "dataset_reader.max_instances": 16}
    elmo(
        monkeypatch,
        *("train", "training_configs/ner/elmo.jsonnet", "-s", run, "-o", json.dumps(small)),
    )
    sentences = [sentence for sentence in SENTENCES if all(s.isprintable() for s in sentence)]
    task_embedder = load_archive(run).model.eval().text_field_embedder.token_embedder_elmo
    with torch.no_grad():
        expected = task_embedder(batch_to_ids(sentences))
    for vectors, row in zip(Embedder(run).encode(sentences, layers="mix"), expected, strict=True):
        _assert_near(vectors, row[: len(vectors)].numpy())
    code = f"from elmo_plugin import Embedder; print(Embedder({str(run)!r}).encode(['A'])[0].shape)"
    alone = run_process(tmp_path, code=code)  # where nothing has registered the model
    assert alone.output.strip() == f"(1, {vectors.shape[1]})", alone.errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sentences": "The bank."}, r"sentences: expected a list, got 'The bank.' \(str\)"),
        ({"sentences": {"text": "The bank."}}, r"sentences: expected a list, got .* \(dict\)"),
        ({"sentences": [{"text": "a"}]}, r"sentences\[0\]: expected a list of words, got .*dict"),
        ({"sentences": [{"The", "bank"}]}, r"sentences\[0\]: expected a list of words, got .*set"),
        ({"sentences": 5}, r"sentences: expected a list, got 5 \(int\)"),
        ({"sentences": numpy.array("a")}, r"sentences: expected a list, got array"),
        ({"sentences": [[]], "batch_size": 0}, "batch_size: expected a positive integer, got 0"),
        ({"layers": "mix"}, "layers: got 'mix', which a biLM alone has not learned"),
        ({"layers": "middle"}, "layers: expected 'all', 'average', .* from 0 to 2, got 'middle'"),
        ({"layers": 3}, "from 0 to 2, got 3"),
        ({"layers": True}, "from 0 to 2, got True"),
        ({"pooling": "sum"}, "pooling: expected 'mean', 'max' or None, got 'sum'"),
        ({"batch_size": 0}, "batch_size: expected a positive integer, got 0"),
        ({"batch_size": "8"}, "batch_size: expected a positive integer, got '8'"),
        ({"sentences": [[3]]}, r"\[0\]: expected a word"),
        ({"sentences": [None]}, r"sentences\[0\]: expected a list of words, got None"),
        ({"sentences": [*[["a"]] * 4096, ["b", 7]]}, r"sentences\[4096\]\[1\]: expected a word"),
    ],
)
def test_bad_arguments_raise(bilm: Bilm, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Embedder(bilm).encode(**{"sentences": RAW, **arguments})


def test_table_raises(bilm: Bilm) -> None:
    """Iterating over it yields the names of its columns."""
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"sentences: expected a list, .*\(DataFrame\)"):
        Embedder(bilm).encode(pandas.DataFrame({"text": RAW}))


def test_carried_state_raises() -> None:
    with pytest.raises(ValueError, match='initial_state: expected "zero" or "warm"'):
        Embedder(Bilm(random_bilm().config, "carried"))


def test_other_initial_state_than_the_bilms_raises(bilm: Bilm) -> None:
    with pytest.raises(ValueError, match="expected 'zero', that of the Bilm, got 'warm'"):
        Embedder(bilm, initial_state="warm")
    Embedder(Bilm(random_bilm().config, "warm"), initial_state="warm")


def test_precision_is_the_stated_one_whatever_a_task_model_was_trained_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    write_task(
        "ner",
        "elmo",
        "{ sizes+:: { hidden: 8 }, bilm+:: { precision: 'bfloat16' } }",
        run := tmp_path / "run",
    )
    types = {p.dtype for p in Embedder(run).bilm.parameters()}
    assert types == {torch.float32}  # as of `elmo embed`
    types = {p.dtype for p in Embedder(run, precision="bfloat16").bilm.parameters()}
    assert types == {torch.float32, torch.bfloat16}


def test_rounded_matrices_are_not_taken_for_exact_ones() -> None:
    bilm = random_bilm()
    rounded = Embedder(bilm, precision="bfloat16").encode(SENTENCES, pooling="mean")
    for other in (bilm, random_bilm().half()):
        with pytest.raises(ValueError, match="precision: expected a Bilm whose matrices are of"):
            Embedder(other)
    again = Embedder(bilm, precision="bfloat16").encode(SENTENCES, pooling="mean")
    numpy.testing.assert_array_equal(again, rounded)


@pytest.mark.parametrize("precision", ["bf16", "float16", "Tensor"])
def test_unknown_precision_raises(precision: Any, bilm_folder: str) -> None:
    message = f"precision: expected float32 or bfloat16, got '{precision}'"
    with pytest.raises(ValueError, match=message):
        Embedder(bilm_folder, precision=precision)
    with pytest.raises(ValueError, match=message):
        BlockEncoder(bilm_folder, precision=precision).description()


def test_task_model_with_carried_state_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors would depend on previous sentences."""
    monkeypatch.chdir(ROOT)
    carried = "{ bilm+:: { initial_state: 'carried' }, sizes+:: { hidden: 8 } }"
    write_task("ner", "elmo", carried, tmp_path / "run")
    archive_model(tmp_path / "run")
    for load in (load_bilm_from, Embedder):
        with pytest.raises(ConfigurationError, match='same state, found initial_state "carried"'):
            load(str(tmp_path / "run" / "model.tar.gz"))


def test_task_model_starts_from_its_own_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    warm = "{ bilm+:: { initial_state: 'warm' }, sizes+:: { hidden: 8 } }"
    write_task("ner", "elmo", warm, tmp_path / "warm")
    expected = Embedder(initial_state="warm").encode([["bank"]])
    for state in ("zero", "warm"):
        found = Embedder(tmp_path / "warm", initial_state=state).encode([["bank"]])
        _assert_near(found[0], expected[0])
    assert BlockEncoder(str(tmp_path / "warm")).description()["initial_state"] == "warm"
    write_task("ner", "elmo", "{ sizes+:: { hidden: 8 } }", tmp_path / "zero")
    with pytest.raises(ConfigurationError, match='a trained model with initial_state "zero"'):
        Embedder(tmp_path / "zero", initial_state="warm")


def test_numba_that_does_not_compile_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    code = "from elmo_plugin import Embedder; print(Embedder().encode(['A bank.'])[0].shape)"
    ended = run_process(tmp_path, code=code)
    assert ended.output.strip() == "(3, 512)", ended.errors


def test_five_lines_need_no_allennlp(tmp_path: Path) -> None:
    code = (
        "from elmo_plugin import Embedder; "
        "print([v.shape for v in Embedder().encode(['The bank.', 'Two banks?'])])"
    )
    ended = run_process(tmp_path, code=code, blocked={"allennlp", "transformers"})
    assert ended.output.strip() == "[(3, 512), (3, 512)]"


def test_mix_over_a_batch_is_refused() -> None:
    mix = ScalarMix(3, do_layer_norm="batch")
    with pytest.raises(ValueError, match='found do_layer_norm "batch"'):
        layer_selection("mix", 3, mix)
