"""Configurations that cannot be trained: one line of error before the training starts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer, TokenIndexer
from allennlp.data.tokenizers import Token
from allennlp.data.vocabulary import Vocabulary
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder

from elmo_plugin.compat.command import running_command
from tests.helpers.command_line import elmo_error
from tests.helpers.elmo_embedders import make_embedder
from tests.helpers.random_bilm import random_bilm, save

import_plugins()


@pytest.fixture(autouse=True)
def command() -> Iterator[None]:
    """Run each test as a command, which names what is wrong."""
    with running_command():
        yield


ROOT = Path(__file__).parents[2]
SMALL: dict[str, Any] = {
    "model.filters": [[1, 8], [3, 8]],
    "model.projection_dim": 16,
    "model.cell_dim": 32,
    "data_loader.batch_size": 4,
    "data_loader.batches_per_epoch": 2,
    "trainer.num_epochs": 1,
}


def params(**changes: Any) -> Params:
    config = ROOT / "training_configs" / "bilm" / "mini.jsonnet"
    return Params.from_file(config, json.dumps({**SMALL, **changes}))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("trainer.num_epochs", 0, "trainer.num_epochs: expected at least 1, got 0"),
        ("trainer.num_epochs", -3, "trainer.num_epochs: expected at least 1, got -3"),
        (
            "trainer.callbacks",
            [{"type": "bilm_curve", "every": 0}],
            "bilm_curve every: expected at least 1, got 0",
        ),
        ("trainer.optimizer.lr", -1, r"^trainer\.optimizer: Invalid learning rate: -1"),
        ("trainer.patienc", 1, "^trainer: expected settings of BilmTrainer, got patienc"),
        (
            "trainer.num_gradient_accumulation_steps",
            0,
            "^trainer.num_gradient_accumulation_steps: expected at least 1, got 0",
        ),
        ("trainer.patience", 0, "^trainer.patience: expected at least 1, got 0"),
        ("trainer.optimizer", 3, "^trainer.optimizer: expected an object, got 3"),
        ("trainer.optimizer", None, "^trainer.optimizer: expected an object, got null"),
        ("trainer.callbacks", [3], "^trainer.callbacks.0: expected an object, got 3"),
        ("trainer.type", 3, "^trainer.type: expected a name, got 3"),
        ("vocabulary", None, "^vocabulary: expected an object, got null"),
        ("train_data_path", 3, "^train_data_path: expected a path, got 3"),
        ("trainer.callbacks", [{"type": "mix_weights", "x": 1}], "MixWeights: {'x': 1}"),
        ("model.dropout", 5, "^model: .*dropout.* 5"),
        ("model.cell_dim", 0, "^model: .*cell_dim"),
        ("dataset_reader.nope", 1, "^dataset_reader: .*nope"),
        ("trainer.optimizer.lr", None, "^trainer.optimizer.lr: expected float, got null"),
        ("model.dropout", None, "^model.dropout: expected float, got null"),
        ("model.num_samples", True, "^model.num_samples: expected int, got true"),
        ("model.projection_dim", False, "^model.projection_dim: expected int, got false"),
        ("trainer.num_epochs", "ten", "^trainer.num_epochs: expected int, got 'ten'"),
        ("trainer.optimizer.lr", "x", "^trainer.optimizer.lr: expected float, got 'x'"),
        ("dataset_reader", 3, "^dataset_reader: expected DatasetReader, got 3"),
        ("model.cell_clip", [3], r"^model.cell_clip: expected float or str, got \[3\]"),
        ("model.filters", 3, "^model.filters: expected list, got 3"),
        ("model.filters", [[1, 16], [2, "x"]], "^model.filters.1.1: expected int, got 'x'"),
        ("distributed", 3, "distributed: expected an object .*, got 3"),
        ("distributed", {}, "distributed: expected cuda_devices, .*, got {}"),
        (
            "distributed",
            {"cuda_devices": [-1]},
            "distributed: expected cuda_devices, a list of at least two",
        ),
        (
            "trainer.checkpointer.keep_most_recent_by_count",
            0,
            "keep_most_recent_by_count: expected at least 1, got 0",
        ),
        ("train_data_path", None, "train_data_path: expected a path, found none"),
        ("random_seed", "one", "random_seed: expected an integer, got 'one'"),
        ("numpy_seed", 2**64, "numpy_seed: expected an integer from 0 to 4294967295, got 1844"),
        ("numpy_seed", -1, "numpy_seed: expected an integer from 0 to 4294967295, got -1"),
        ("pytorch_seed", 2**64, "pytorch_seed: expected an integer from -9223372036854775808 to"),
        ("vocabulary.max_size", -1, "vocabulary.max_size: expected at least 1, got -1"),
        ("vocabulary.max_size", 0, "vocabulary.max_size: expected at least 1, got 0"),
        ("vocabulary.min_count", 0, "vocabulary.min_count: expected at least 1, got 0"),
    ],
)
def test_invalid_value_raises(
    key: str, value: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(ConfigurationError, match=message) as error:
        train_model(params(**{key: value}), str(tmp_path / "run"))
    assert "\n" not in str(error.value)


def test_distributed_evaluation_on_test_data_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    processes = {"distributed": {"cuda_devices": [-1, -1]}}
    test = {"test_data_path": "test.txt", "evaluate_on_test": True}
    with pytest.raises(ConfigurationError, match="evaluate_on_test: expected false with dist"):
        train_model(params(**processes, **test), str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_empty_object_raises(tmp_path: Path) -> None:
    config = Params.from_file(ROOT / "training_configs" / "bilm" / "mini.jsonnet")
    config["data_loader"] = {}
    with pytest.raises(ConfigurationError, match="MultiProcessDataLoader: batch_size is"):
        train_model(config, str(tmp_path / "run"))


@pytest.mark.parametrize(
    "seeds",
    [
        {"random_seed": 2**70, "numpy_seed": 2**32 - 1, "pytorch_seed": 2**63},
        {"random_seed": "1", "numpy_seed": "2", "pytorch_seed": -(2**63)},
        {"random_seed": -1, "numpy_seed": 0, "pytorch_seed": None, "data_loader.seed": 2**70},
    ],
)
def test_valid_seeds(
    seeds: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    heldout = {"validation_data_path": "fixtures/lm/korean.txt"}
    train_model(params(**heldout, **seeds), str(tmp_path / "run"))


def test_recovering_with_a_new_setting_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (tmp_path / "run").mkdir()
    params().to_file(str(tmp_path / "run" / "config.json"))
    with pytest.raises(ConfigurationError, match=r"^data_loader.seed: expected only settings"):
        train_model(params(**{"data_loader.seed": 1}), str(tmp_path / "run"), recover=True)


def test_recovering_with_another_value_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    config = tmp_path / "run" / "config.json"
    config.parent.mkdir()
    params().to_file(str(config))
    with pytest.raises(ConfigurationError, match=f"^{config}: Training configuration does not"):
        train_model(params(**{"model.cell_dim": 16}), str(config.parent), recover=True)


def test_folder_is_kept_when_distributed_training_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "kept.txt").touch()
    with pytest.raises(ConfigurationError):
        train_model(params(distributed={}), str(tmp_path / "run"), force=True)
    assert (tmp_path / "run" / "kept.txt").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"trainer.optimizer.lr": 1e30, "trainer.grad_norm": False},
            "^loss: expected a number, got",
        ),
        (
            {"trainer.optimizer.lr": 1e4, "data_loader.batches_per_epoch": 1},
            r"^trainer\.validation_metric: expected a finite perplexity, got inf",
        ),
    ],
)
def test_a_training_that_diverges_raises(
    changes: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    heldout = {"validation_data_path": "fixtures/lm/korean.txt"}
    with pytest.raises(ConfigurationError, match=message):
        train_model(params(**heldout, **changes), str(tmp_path / "run"))
    assert not (tmp_path / "run" / "model.tar.gz").exists()


def test_unknown_metric_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    metric = {"validation_data_path": "fixtures/lm/heldout.txt", "trainer.validation_metric": "+f1"}
    message = r"^trainer.validation_metric: expected one of .*\bperplexity\b.*, got 'f1'$"
    with pytest.raises(ConfigurationError, match=message):
        train_model(params(**metric), str(tmp_path / "run"))
    assert "Beginning training" not in (tmp_path / "run" / "out.log").read_text()


def test_validation_on_training_text_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (tmp_path / "link.txt").symlink_to(ROOT / "fixtures/lm/heldout.txt")
    train, other = f"{tmp_path}/*.txt", "fixtures/lm/korean.txt"
    for heldout, expected in (("fixtures/lm/heldout.txt", 1), (other, 0)):
        paths, run = {"train_data_path": train, "validation_data_path": heldout}, tmp_path / heldout
        train_model(params(**paths), str(run))
        assert (run / "out.log").read_text().count("perplexity will be too low") == expected


def test_a_vocabulary_without_words_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    message = (
        r"^vocabulary\.min_count: expected a word that occurs at least 100000 times in .*, found"
    )
    with pytest.raises(ConfigurationError, match=message):
        train_model(params(**{"vocabulary.min_count": 100_000}), str(tmp_path / "run"))


def test_a_training_without_checkpoint_is_replaced_by_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(ConfigurationError, match="batch_size"):
        train_model(params(**{"data_loader.batch_size": -1}), str(tmp_path / "run"))
    message = "ended before its first checkpoint.* --force replaces it"
    with pytest.raises(ConfigurationError, match=message):
        train_model(params(), str(tmp_path / "run"))
    train_model(params(), str(tmp_path / "run"), force=True)
    with pytest.raises(ConfigurationError, match="Specify --recover"):
        train_model(params(), str(tmp_path / "run"))


@pytest.mark.parametrize("key", ["model", "trainer"])
def test_unknown_names_raise_before_data_are_read(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (tmp_path / "text.txt").write_bytes(b"\xff")  # which cannot be read
    text = {"train_data_path": str(tmp_path / "text.txt")}
    with pytest.raises(ConfigurationError, match=f"^{key}.type: 'nope' is not a registered name"):
        train_model(params(**text, **{f"{key}.type": "nope"}), str(tmp_path / "run"))
    with pytest.raises(ConfigurationError, match=r"text\.txt"):
        train_model(params(**text), str(tmp_path / "other"))


def test_unreadable_configuration_raises() -> None:
    with pytest.raises(ConfigurationError, match=r"^/proc/self/mem: "):
        Params.from_file("/proc/self/mem")


def test_parameter_of_another_type_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    params(**{"data_loader.batch_size": 1.5}).to_file(str(tmp_path / "config.json"))
    error = elmo_error(
        monkeypatch, capsys, "train", tmp_path / "config.json", "-s", tmp_path / "run"
    )
    assert error == "elmo: error: data_loader.batch_size: expected int, got 1.5"


def test_invalid_regular_expression_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    params(**{"trainer.no_grad": ["softmax("]}).to_file(str(tmp_path / "config.json"))
    error = elmo_error(
        monkeypatch, capsys, "train", tmp_path / "config.json", "-s", tmp_path / "run"
    )
    assert error.startswith("elmo: error: expected a regular expression, found 'softmax(' (missing")


def test_indexer_of_another_embedder_raises(tmp_path: Path) -> None:
    embedder = make_embedder(save(random_bilm(), tmp_path))
    model = BasicTextFieldEmbedder({"elmo": embedder})

    def embed(indexer: TokenIndexer) -> tuple[int, ...]:
        text = TextField([Token("Oslo"), Token("is")], {"elmo": indexer})
        text.index(Vocabulary())
        return tuple(model(text.batch_tensors([text.as_tensor(text.get_padding_lengths())])).shape)

    assert embed(TokenIndexer.by_name("elmo_characters")()) == (1, 2, embedder.get_output_dim())
    expected = r"^token_indexers.elmo: expected .* \(elmo_tokens, word_inputs\), found tokens$"
    with pytest.raises(ConfigurationError, match=expected):
        embed(SingleIdTokenIndexer())


@pytest.mark.parametrize(
    ("unlabeled", "message"),
    [
        (
            "train",
            "^train_data_path: expected labels, found only tokens, for which",
        ),
        ("validation", "^validation_data_path: expected label as in the training data, found only"),
        ("", None),
    ],
)
def test_data_without_labels_raise(unlabeled: str, message: str | None, tmp_path: Path) -> None:
    for part in ("train", "validation"):
        labels = [{}, {}] if part == unlabeled else [{"label": "good"}, {"label": "bad"}]
        lines = [json.dumps({"text": "It rains .", **label}) for label in labels]
        (tmp_path / part).write_text("\n".join(lines))
    embedder = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 2}}}
    encoder = {"type": "bag_of_embeddings", "embedding_dim": 2}
    config = {
        "dataset_reader": {"type": "text_classification_json", "tokenizer": "just_spaces"},
        **{f"{part}_data_path": str(tmp_path / part) for part in ("train", "validation")},
        "model": {
            "type": "basic_classifier",
            "text_field_embedder": embedder,
            "seq2vec_encoder": encoder,
        },
        "data_loader": {"batch_size": 2},
        "trainer": {"num_epochs": 1, "optimizer": "adam"},
    }
    with pytest.raises(ConfigurationError, match=message) if message else nullcontext():
        train_model(Params(config), str(tmp_path / "run"))
