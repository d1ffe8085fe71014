"""Fine-tuned biLMs in fingerprints: the same origin with other bytes is the same biLM."""

import json
import shutil
from pathlib import Path

import pytest
from allennlp.common import file_utils
from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.bilm_origin import (
    check_or_record_origin,
    language_model_hash,
    write_origin,
)
from elmo_plugin.experiments.runner.fingerprints import fingerprint
from elmo_plugin.models.loading import load_bilm_from
from tests.helpers.browser import serve

BILM = Path(__file__).parents[3] / "elmo_plugin/pretrained"
ORIGIN = {"configuration": "1", "biLM": "a", "train": "b", "dev": "c"}


def _bilm(folder: Path, weights: bytes) -> Path:
    folder.mkdir()
    (folder / "weights.hdf5").write_bytes(weights)
    (folder / "options.json").write_text("{}")
    return folder


def _fingerprint(folder: Path) -> str:
    elmo = {"type": "elmo", "weight_file": str(folder / "weights.hdf5")}
    return fingerprint({"model": {"token_embedders": {"elmo": elmo}}})


def test_bilms_of_one_origin_have_one_fingerprint(tmp_path: Path) -> None:
    here, elsewhere = _bilm(tmp_path / "here", b"0.1"), _bilm(tmp_path / "elsewhere", b"0.10001")
    assert _fingerprint(here) != _fingerprint(elsewhere)
    for folder in (here, elsewhere):
        write_origin(folder, ORIGIN)
    assert _fingerprint(here) == _fingerprint(elsewhere)


@pytest.mark.parametrize("key", ORIGIN)
def test_another_origin_has_another_fingerprint(key: str, tmp_path: Path) -> None:
    bilm = _bilm(tmp_path / "bilm", b"0.1")
    write_origin(bilm, ORIGIN)
    before = _fingerprint(bilm)
    write_origin(bilm, {**ORIGIN, key: "another"})
    assert _fingerprint(bilm) != before


@pytest.mark.parametrize(
    "content", [None, [], {}, {"origin": ORIGIN}, {"files": {"weights.hdf5": "0"}}]
)
def test_origin_of_other_weights_is_refused(content: object, tmp_path: Path) -> None:
    bilm = _bilm(tmp_path / "bilm", b"0.1")
    write_origin(bilm, ORIGIN)
    (bilm / "weights.hdf5").write_bytes(b"0.25")
    if content is not None:
        (bilm / "origin.json").write_text(json.dumps(content))
    with pytest.raises(ConfigurationError, match=r"origin.json: weights.hdf5: expected \w{64}"):
        _fingerprint(bilm)


def test_training_that_has_begun_from_other_files_is_refused(tmp_path: Path) -> None:
    run, sources = tmp_path / "runs" / "snli", {key: f"{key}.txt" for key in ORIGIN}
    check_or_record_origin(run, ORIGIN, sources)
    run.mkdir()
    check_or_record_origin(run, ORIGIN, sources)
    for key in ORIGIN:
        with pytest.raises(ConfigurationError, match=rf"runs/snli: .* contents of {key}\.txt,"):
            check_or_record_origin(run, {**ORIGIN, key: "another"}, sources)


@pytest.mark.parametrize("name", ["softmax.hdf5", "vocabulary.txt", "options.json"])
def test_language_model_counts_with_its_other_files(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "bilm"
    shutil.copytree(BILM, folder)
    before = language_model_hash(str(folder))
    assert language_model_hash(str(folder / "weights.hdf5")) == before
    (folder / name).write_bytes((folder / name).read_bytes() + b"\n")
    assert language_model_hash(str(folder)) != before


def test_fine_tuned_language_model_with_another_softmax_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "bilm"
    shutil.copytree(BILM, folder)
    write_origin(folder, ORIGIN)
    language_model_hash(str(folder))
    (folder / "softmax.hdf5").write_bytes(b"another")
    with pytest.raises(ConfigurationError, match=r"origin.json: softmax.hdf5: expected \w{64}"):
        language_model_hash(str(folder))


def test_fine_tuned_language_model_counts_by_its_origin(tmp_path: Path) -> None:
    here, elsewhere = _bilm(tmp_path / "here", b"0.1"), _bilm(tmp_path / "elsewhere", b"0.10001")
    assert language_model_hash(str(here)) != language_model_hash(str(elsewhere))
    for folder in (here, elsewhere):
        write_origin(folder, ORIGIN)
    assert language_model_hash(str(here)) == language_model_hash(str(elsewhere))


def test_hash_of_an_archive_at_a_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_utils, "CACHE_DIRECTORY", str(tmp_path / "cache"))
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "model.tar.gz").write_bytes(b"an archive")
    expected = language_model_hash(str(folder / "model.tar.gz"))
    with serve(folder) as address:
        assert language_model_hash(f"{address}model.tar.gz") == expected


@pytest.mark.parametrize("softmax", ["softmax.hdf5", "my_softmax_weights.hdf5"])
def test_softmax_in_place_of_the_weights(softmax: str, tmp_path: Path) -> None:
    """Name the softmax that is given in place of the weights."""
    folder = tmp_path / "bilm"
    shutil.copytree(BILM, folder)
    shutil.copy(folder / "softmax.hdf5", folder / "my_softmax_weights.hdf5")
    with pytest.raises(ValueError, match=rf"{softmax}: expected the directory of a biLM or its"):
        load_bilm_from(str(folder / softmax))
