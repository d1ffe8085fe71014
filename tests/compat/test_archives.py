"""Archives that are damaged, or do not hold a trained model."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import random
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.evaluate import evaluate_from_archive
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import archival
from allennlp.models.archival import load_archive
from allennlp.nn.util import read_state_dict

from elmo_plugin.compat.command import running_command
from elmo_plugin.compat.safety.archive_files import open_archive
from elmo_plugin.compat.safety.archives import extract_inside_directory
from elmo_plugin.compat.safety.integrity import check_finite
from elmo_plugin.experiments.figure2_layer_weights import trained_mixes
from elmo_plugin.layers import ScalarMix
from tests.helpers.command_line import elmo_error
from tests.helpers.small_archive import CONFIG, TEXT, write_archive


class RunsCode:
    def __init__(self, made: Path) -> None:
        self.made = made

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.made),)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished training run."""
    return write_archive(tmp_path_factory.mktemp("trained") / "run").parent


@pytest.fixture(params=["model.tar.gz", "directory"])
def changed(
    request: pytest.FixtureRequest,
    trained: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Path]:
    """Return a function that archives the training with one file changed, in either form."""
    files = tmp_path / "files"
    shutil.copytree(trained, files, ignore=shutil.ignore_patterns("*.gz"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))

    def change(name: str, content: bytes | None) -> Path:
        if content is None:
            shutil.rmtree(files / name) if (files / name).is_dir() else (files / name).unlink()
        else:
            (files / name).write_bytes(content)
        if request.param == "directory":
            return files
        with tarfile.open(tmp_path / "model.tar.gz", "w:gz") as archive:
            for file in files.iterdir():
                name = "weights.th" if file.name == "best.th" else file.name
                archive.add(file, arcname=name)
        return tmp_path / "model.tar.gz"

    return change


def refused(archive: Path, load: Callable[[Any], Any] = load_archive) -> str:
    """Return the error's text after the archive's name, having checked that it is one line without
    the temporary directory."""
    with pytest.raises(ConfigurationError) as caught:
        load(archive)
    text = str(caught.value)
    assert text.startswith(str(archive)) and "\n" not in text
    assert tempfile.gettempdir() + "/tmp" not in text
    if tempfile.gettempdir().endswith("temporary"):
        assert os.listdir(tempfile.gettempdir()) == []
    return text.removeprefix(str(archive))


def refused_by_commands(archive: Path, load: Callable[[Any], Any] = load_archive) -> str:
    """Return the error's text as a command reports it; programs get AllenNLP's own exception."""
    with running_command():
        return refused(archive, load)


def content(archive: Path) -> str:
    with open_archive(archive) as directory:
        files = sorted(file for file in Path(directory).rglob("*") if file.is_file())
        named = [(str(file.relative_to(directory)), file.read_bytes()) for file in files]
    return hashlib.sha256(repr(named).encode()).hexdigest()


def flipped(whole: bytes, bit: int) -> bytes:
    damaged = bytearray(whole)
    damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)


class TestDamage:
    def test_flipped_bits_of_archives(self, trained: Path, tmp_path: Path) -> None:
        whole, expected = (trained / "model.tar.gz").read_bytes(), content(trained / "model.tar.gz")
        damaged = tmp_path / "model.tar.gz"
        positions = random.Random(0).sample(range(8 * len(whole)), 300)
        for bit in (*range(8 * 10), *positions, *range(8 * len(whole) - 8 * 8, 8 * len(whole))):
            damaged.write_bytes(flipped(whole, bit))
            try:
                assert content(damaged) == expected
            except ConfigurationError as error:
                problem = f"{damaged}: expected the whole model.tar.gz of a trained model, found: "
                assert str(error).startswith(problem)

    @pytest.mark.parametrize("whole", [b"", b"text", b"\x1f\x8b", gzip.compress(b"text", mtime=0)])
    def test_other_files(self, tmp_path: Path, whole: bytes) -> None:
        (tmp_path / "model.tar.gz").write_bytes(whole)
        assert "expected the whole model.tar.gz" in refused(tmp_path / "model.tar.gz")

    @pytest.mark.parametrize("change", ["cut", "garbage behind"])
    def test_cut_or_extended_archives(self, trained: Path, tmp_path: Path, change: str) -> None:
        whole = (trained / "model.tar.gz").read_bytes()
        damaged = tmp_path / "model.tar.gz"
        for number in (1, 2, 7, 8, 9, 40, len(whole) // 2):
            damaged.write_bytes(whole[:-number] if change == "cut" else whole + b"x" * number)
            assert "expected the whole model.tar.gz" in refused(damaged)

    def test_flipped_bits_of_weights(self, trained: Path, tmp_path: Path) -> None:
        whole, expected = (trained / "best.th").read_bytes(), read_state_dict(trained / "best.th")
        damaged = tmp_path / "best.th"
        # The bit that marks an entry of a zip file as a directory, for torch to read nothing of it.
        marks = [8 * (entry.start() + 38) + 4 for entry in re.finditer(b"PK\x01\x02", whole)]
        for bit in (*marks, *random.Random(0).sample(range(8 * len(whole)), 300)):
            damaged.write_bytes(flipped(whole, bit))
            try:
                found = read_state_dict(damaged)
            except ConfigurationError as error:
                assert str(error).startswith(f"{damaged}: expected")
            else:
                assert found.keys() == expected.keys()
                assert all(torch.equal(found[name], expected[name]) for name in expected)

    def test_damaged_block_of_weights(self, changed: Callable[..., Path], trained: Path) -> None:
        whole = (trained / "best.th").read_bytes()
        middle = len(whole) // 2
        damaged = whole[:middle] + bytes(b ^ 1 for b in whole[middle : middle + 400])
        archive = changed("best.th", damaged + whole[middle + 400 :])
        assert re.search(r"(weights|best)\.th: expected whole weights", refused(archive))

    def test_vocabulary_of_damaged_archive(self, trained: Path, tmp_path: Path) -> None:
        whole = (trained / "model.tar.gz").read_bytes()
        (tmp_path / "model.tar.gz").write_bytes(flipped(whole, 4 * len(whole)))
        refused(tmp_path / "model.tar.gz", Vocabulary.from_files)


def saved(state: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(state, buffer)
    return buffer.getvalue()


class TestWeights:
    @pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
    def test_nan_and_infinity_are_refused(
        self, changed: Callable[..., Path], trained: Path, value: float
    ) -> None:
        state = read_state_dict(trained / "best.th")
        state["softmax.weight"][2, 1] = value
        archive = changed("best.th", saved(state))
        assert "expected finite numbers, found NaN or infinity in ['softmax.weight']" in refused(
            archive
        )

    def test_infinities_of_masks_are_accepted(self) -> None:
        module = torch.nn.Module()
        module.register_buffer("mask", torch.full((2, 2), -float("inf")).triu(1))
        module.register_buffer("count", torch.tensor(0))
        check_finite(module)
        module.mask[0, 0] = float("nan")
        with pytest.raises(ConfigurationError, match="mask"):
            check_finite(module)

    def test_infinities_of_warm_states_are_refused(
        self, changed: Callable[..., Path], trained: Path
    ) -> None:
        state = read_state_dict(trained / "best.th")
        name = next(name for name in state if name.endswith("warm_cell"))
        state[name].view(-1)[0] = float("inf")
        archive = changed("best.th", saved(state))
        assert f"expected finite numbers, found NaN or infinity in ['{name}']" in refused(archive)

    def test_nan_of_mixes_is_refused(self, tmp_path: Path) -> None:
        mix = ScalarMix(3)
        torch.nn.init.constant_(mix.gamma, float("nan"))
        (tmp_path / "config.json").write_text(json.dumps(CONFIG))
        torch.save(
            {f"elmo.{key}": value for key, value in mix.state_dict().items()}, tmp_path / "best.th"
        )
        found = refused(tmp_path, lambda archive: trained_mixes(str(archive)))
        assert found.startswith(": elmo: expected finite numbers")

    @pytest.mark.parametrize("name", ["scalar_parameters", "gamma"])
    def test_mixes_of_other_shapes_are_refused(self, tmp_path: Path, name: str) -> None:
        state = {f"elmo.{key}": value for key, value in ScalarMix(3).state_dict().items()}
        state[f"elmo.{name}"] = torch.ones(2, 3)
        (tmp_path / "config.json").write_text(json.dumps(CONFIG))
        torch.save(state, tmp_path / "best.th")
        found = refused(tmp_path, lambda archive: trained_mixes(str(archive)))
        assert "elmo: expected a weight for each layer and one gamma" in found

    @pytest.mark.parametrize(
        "weights, problem",
        [
            (b"", "expected whole weights, tensors by their names"),
            (b"text", "expected whole weights, tensors by their names"),
            (saved([torch.zeros(2)]), "expected whole weights, tensors by their names"),
            (saved({}), "Missing keys"),
            (saved({"a": 1}), "Missing keys"),
            (None, "No such file"),
        ],
        ids=["empty", "text", "list", "no tensors", "other tensors", "missing"],
    )
    def test_files_without_weights(
        self, changed: Callable[..., Path], weights: bytes | None, problem: str
    ) -> None:
        assert problem in refused_by_commands(changed("best.th", weights))

    def test_weights_of_another_shape(self, changed: Callable[..., Path], trained: Path) -> None:
        state = read_state_dict(trained / "best.th")
        state["softmax.bias"] = torch.zeros(99)
        archive = changed("best.th", saved(state))
        assert "size mismatch for softmax.bias" in refused_by_commands(archive)

    def test_code_in_weights_does_not_run(
        self, changed: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # What torch did by itself before 2.6.
        monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
        archive = changed("best.th", saved({"weight": RunsCode(tmp_path / "made")}))
        assert "expected whole weights" in refused(archive)
        assert not (tmp_path / "made").exists()


def config(**changes: Any) -> bytes:
    return json.dumps({**CONFIG, **changes}).encode()


def config_without(key: str) -> bytes:
    return json.dumps({name: value for name, value in CONFIG.items() if name != key}).encode()


class TestConfiguration:
    @pytest.mark.parametrize(
        "text, problem",
        [
            (None, "expected config.json"),
            (b"", "expected a configuration"),
            (b"text", "expected a configuration"),
            (b"\xff\xfe{}", "expected a configuration"),
            (b"[" * 100_000, "expected a configuration"),
            (b"[]", "expected a model"),
            (b"{}", "expected a model"),
            (config_without("model"), "expected a model"),
            (config(model={}), "expected a model"),
            (config(model=["bilm"]), "expected a model"),
            (config_without("dataset_reader"), "expected a dataset_reader"),
            (config(dataset_reader=[]), "expected a dataset_reader"),
            (config(dataset_reader="bilm_text"), "expected a dataset_reader"),
            (config(validation_dataset_reader=None), "expected a dataset_reader"),
            (config(vocabulary=3), "vocabulary: expected an object"),
            (config(evaluation=[]), "evaluation: expected an object"),
            (config(model={"type": "bilm", "cell_dim": "x"}), "cell_dim"),
            (config(model={"type": "bilm", "cell_dim": -1}), "cell_dim"),
            (config(model={"type": "nothing"}), "nothing"),
            (config(model={"type": "bilm", "num_layers": 10**19}), "num_layers: 10000000000000000"),
            (config(model={"type": "bilm", "x": float("nan")}), "NaN"),
        ],
    )
    def test_invalid_configurations(
        self, changed: Callable[..., Path], text: bytes | None, problem: str
    ) -> None:
        assert problem in refused_by_commands(changed("config.json", text))

    def test_a_configuration_that_fills_the_memory(self, changed: Callable[..., Path]) -> None:
        found = refused(changed("config.json", config() + b" " * 2**24))
        assert "config.json: expected at most 16,777,216 bytes, found 16," in found

    def test_other_files_are_not_read(self, changed: Callable[..., Path], tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("bilm")
        jsonnet = config().replace(b'"bilm"', f"importstr '{tmp_path}/secret'".encode())
        assert "config.json: expected a configuration" in refused(changed("config.json", jsonnet))

    @pytest.mark.parametrize("loader", [None, 3, {"batch_size": "x"}])
    def test_missing_data_loader(
        self, changed: Callable[..., Path], tmp_path: Path, loader: Any
    ) -> None:
        (tmp_path / "text.txt").write_text(TEXT)
        archive = changed("config.json", config(data_loader=loader))
        text = str(tmp_path / "text.txt")
        refused_by_commands(archive, lambda path: evaluate_from_archive(path, text))

    def test_overrides_add_missing_keys(self, changed: Callable[..., Path]) -> None:
        archive = changed("config.json", config_without("dataset_reader"))
        overrides = {"dataset_reader": CONFIG["dataset_reader"]}
        assert load_archive(archive, overrides=overrides).config["dataset_reader"]

    def test_overrides_of_unknown_keys(self, changed: Callable[..., Path]) -> None:
        archive = changed("config.json", config(mine=1))
        known = {"mine": 2, "validation_data_loader": {"batch_size": 3}, "random_seed": 1}
        with running_command():
            loaded = load_archive(archive, overrides=json.dumps(known)).config
        assert {key: loaded[key] for key in known} == known

        def load(path: Path) -> Any:
            return load_archive(path, overrides=json.dumps({**known, "validation_data_loadr": {}}))

        assert "overrides: expected keys" in refused_by_commands(archive, load)


OTHER_FIELDS = {"type": "sequence_tagging"}
OTHER_IDS = {"type": "bilm_text", "max_characters": 20}


class TestTask:
    """Archives whose parts do not fit each other, which fails with data only."""

    @pytest.fixture
    def text(self, tmp_path: Path) -> Path:
        (tmp_path / "text.txt").write_text("Oslo###N slept###V\n")
        return tmp_path / "text.txt"

    @pytest.mark.parametrize("reader", [OTHER_FIELDS, OTHER_IDS], ids=["fields", "ids"])
    def test_evaluate_names_the_archive(
        self, reader: dict[str, Any], changed: Callable[..., Path], text: Path
    ) -> None:
        archive = changed("config.json", config(dataset_reader=reader))
        found = refused_by_commands(
            archive, lambda path: evaluate_from_archive(str(path), str(text))
        )
        expected = "max_characters: expected the model's" if reader is OTHER_IDS else "unexpected"
        assert expected in found

    def test_predict_names_the_archive(
        self,
        changed: Callable[..., Path],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        archive = changed("config.json", config(dataset_reader=OTHER_IDS))
        (tmp_path / "lines.jsonl").write_text('{"sentence": "It is late ."}\n')
        found = elmo_error(monkeypatch, capsys, "predict", archive, tmp_path / "lines.jsonl")
        assert f"lines.jsonl, line 1: {archive}: max_characters: " in found


class TestVocabulary:
    def test_empty_namespace(self, changed: Callable[..., Path]) -> None:
        archive = changed("vocabulary/non_padded_namespaces.txt", b"bilm\n\n*tags\n")
        assert "namespaces.txt, line 2: expected a namespace, found none" in refused_by_commands(
            archive
        )

    def test_missing_vocabulary(self, changed: Callable[..., Path]) -> None:
        assert "/vocabulary not found" in refused_by_commands(changed("vocabulary", None))

    def test_other_encoding(self, changed: Callable[..., Path]) -> None:
        archive = changed("vocabulary/bilm.txt", "<S>\n</S>\n<UNK>\nÅse\n".encode("latin-1"))
        assert refused_by_commands(archive).startswith("/vocabulary/bilm.txt: expected UTF-8")


def test_both_forms_load_the_stored_weights(trained: Path) -> None:
    expected = read_state_dict(trained / "best.th")
    for archive in (trained, trained / "model.tar.gz"):
        found = load_archive(archive).model.state_dict()
        assert all(torch.equal(found[name], expected[name]) for name in expected)


def test_missing_files_of_the_configuration_are_not_said_to_be_the_archives(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = json.loads((trained / "config.json").read_text())
    config["model"] = {"type": "from_archive", "archive_file": "missing.tar.gz"}
    (trained / "config.json").write_text(json.dumps(config))
    message = elmo_error(monkeypatch, capsys, "evaluate", trained, trained / "text.txt")
    expected = "expected the files that its configuration names, found: FileNotFoundError: "
    assert f"{trained}: {expected}" in message and "missing.tar.gz" in message


def test_log_names_the_archive(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="allennlp.models.archival")
    archive = write_archive(tmp_path / "run")
    assert caplog.messages[0] == f"archiving weights and vocabulary to {archive}"


def test_missing_archive(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.tar\.gz not found"):
        load_archive(tmp_path / "missing.tar.gz")


@pytest.mark.parametrize("load", [load_archive, Vocabulary.from_files])
@pytest.mark.parametrize(
    "name, kind, target",
    [
        (".", tarfile.REGTYPE, ""),
        ("", tarfile.REGTYPE, ""),
        ("x" * 300, tarfile.REGTYPE, ""),
        ("link", tarfile.LNKTYPE, "nothing"),
        ("link", tarfile.LNKTYPE, "link"),
        ("link", tarfile.SYMTYPE, "/etc/passwd"),
    ],
)
def test_members_that_cannot_be_extracted(
    tmp_path: Path, name: str, kind: bytes, target: str, load: Callable[[Any], Any]
) -> None:
    with tarfile.open(tmp_path / "model.tar.gz", "w:gz") as archive:
        for _ in range(2):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            archive.addfile(member, io.BytesIO())
    refused(tmp_path / "model.tar.gz", load)


def test_archives_are_extracted_inside_their_directory(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "model.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("../outside"), io.BytesIO())
    assert "outside" in refused(tmp_path / "model.tar.gz")
    assert not (tmp_path / "outside").exists()


def test_pythons_that_extract_anywhere_are_refused(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(tarfile, "data_filter")
    monkeypatch.setattr(archival, "tarfile", tarfile)
    with extract_inside_directory(archival):
        pass
    assert "3.11.4 or later" in refused(trained / "model.tar.gz")


def test_archives_are_compressed_at_the_fastest_level(trained: Path) -> None:
    content = (trained / "model.tar.gz").read_bytes()
    assert content[8] == 4  # RFC 1952: the compressor used its fastest algorithm
    with tarfile.open(trained / "model.tar.gz") as archive:
        assert archive.extractfile("weights.th").read() == (trained / "best.th").read_bytes()
