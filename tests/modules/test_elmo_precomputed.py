"""The TokenEmbedder `elmo_precomputed` against `elmo`."""

import json
from pathlib import Path
from typing import Any

import _jsonnet
import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.modules import TokenEmbedder
from torch.testing import assert_close

from elmo_plugin.layers import batch_to_ids
from tests.helpers.command_line import elmo
from tests.helpers.random_bilm import SENTENCES, Files, random_bilm, save

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "training_configs" / "ner"


pytestmark = pytest.mark.usefixtures("at_the_root")


def embedder(**config: Any) -> TokenEmbedder:
    return TokenEmbedder.from_params(Params(config)).eval()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return save(random_bilm(), tmp_path)


@pytest.fixture
def stored(tmp_path: Path, files: Files, monkeypatch: pytest.MonkeyPatch) -> Path:
    text, layers = tmp_path / "text.txt", tmp_path / "layers.hdf5"
    text.write_text("\n".join(" ".join(SENTENCES[i]) for i in (0, 1, 2)), encoding="utf-8")
    bilm = ("--bilm", files.weights)
    elmo(monkeypatch, "embed", text, layers, *bilm)
    return layers


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"num_output_representations": 2, "scalar_mix_parameters": [0.5, -1.0, 2.0]},
        {"do_layer_norm": True, "mix": "average"},
        {"projection_dim": 5, "num_output_representations": 2},
        {"train_gamma": False},
    ],
    ids=str,
)
def test_vectors_equal_elmo(files: Files, stored: Path, arguments: dict[str, Any]) -> None:
    paths = {"options_file": str(files.options), "weight_file": str(files.weights)}
    inside = embedder(type="elmo", **paths, **arguments)
    ours = embedder(type="elmo_precomputed", activations_file=str(stored), **arguments)
    learned = {k: v for k, v in inside.state_dict().items() if ".bilm." not in k}
    ours.load_state_dict(learned)
    outside = [p for name, p in inside.named_parameters() if ".bilm." not in name]
    assert [p.requires_grad for p in ours.parameters()] == [p.requires_grad for p in outside]
    ids = batch_to_ids([SENTENCES[i] for i in (2, 0, 1, 0)])
    assert ours.get_output_dim() == inside.get_output_dim()
    assert_close(ours(ids), inside(ids), atol=1e-6, rtol=0)
    # Any dimensions before the tokens.
    shape = (2, 2, *ids.shape[1:])
    assert_close(ours(ids.view(shape)), inside(ids.view(shape)), atol=1e-6, rtol=0)


def config(name: str, bilm: dict[str, Any]) -> str:
    """Configuration of a short training on the fixtures."""
    changes = {
        "sizes": {"hidden": 16},
        "dataset_reader": {"max_instances": 100},
        "trainer": {"num_epochs": 2},
    }
    text = f"(import '{CONFIGS / name}') {{ paths+:: {{ bilm+: {json.dumps(bilm)} }} }}"
    for group, change in changes.items():
        text += f" {{ {group}+: {json.dumps(change)} }}"
    return text


def test_training_equals_that_with_the_bilm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same seed, every loss and score is the same."""
    file, layers = tmp_path / "ner.jsonnet", tmp_path / "layers.hdf5"
    file.write_text(config("elmo_both.jsonnet", {}))
    elmo(monkeypatch, "embed", file, layers)

    histories = []
    for folder, bilm in (("inside", {}), ("stored", {"activations_file": str(layers)})):
        text = _jsonnet.evaluate_snippet(folder, config("elmo_both.jsonnet", bilm))
        train_model(Params(json.loads(text)), tmp_path / folder, file_friendly_logging=True)
        epochs = [
            json.loads((tmp_path / folder / f"metrics_epoch_{i}.json").read_text()) for i in (0, 1)
        ]
        histories.append(
            [{k: v for k, v in e.items() if k.endswith(("loss", "overall"))} for e in epochs]
        )
    inside, stored = histories
    for epoch, expected in zip(stored, inside):
        assert epoch == pytest.approx(expected, rel=1e-5)
        assert epoch["training_f1-measure-overall"] == expected["training_f1-measure-overall"]
        assert epoch["validation_f1-measure-overall"] == expected["validation_f1-measure-overall"]
    assert inside[0]["training_loss"] > inside[1]["training_loss"]


def test_documents_are_stored_sentence_by_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers, config = tmp_path / "layers.hdf5", "training_configs/coref/elmo.jsonnet"
    elmo(monkeypatch, "embed", config, layers)
    params = Params.from_file(config)
    instances = list(
        DatasetReader.from_params(params["dataset_reader"]).read(params["train_data_path"])
    )
    batch = Batch(instances[:2])
    batch.index_instances(Vocabulary())
    text = batch.as_tensor_dict()["text"]["elmo"]
    vectors = [
        embedder(type="elmo_by_sentence", elmo=elmo)(**text)
        for elmo in (
            {"type": "elmo_precomputed", "activations_file": str(layers)},
            {"type": "elmo"},
        )
    ]
    assert vectors[0].any()
    assert_close(*vectors, atol=1e-5, rtol=0)


def test_sentence_with_other_tokens_raises(stored: Path) -> None:
    with pytest.raises(ConfigurationError) as error:
        embedder(type="elmo_precomputed", activations_file=str(stored))(
            batch_to_ids([["The", "cat", "sat", "on", "the", "mat."]])
        )
    assert '"mat."]' in str(error.value) and '"mat", "."]' in str(error.value)


def test_missing_file_raises(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=f"activations_file {tmp_path}/none.*elmo embed"):
        embedder(type="elmo_precomputed", activations_file=f"{tmp_path}/none")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", r"a.json: expected an object, got \[\]"),
        ("{}", r"a\.json: expected a configuration with a dataset_reader, found none"),
        ('{"dataset_reader": 3}', "dataset_reader: expected an object, found 3"),
    ],
)
def test_invalid_configuration_raises(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(SystemExit, match=message):
        elmo(monkeypatch, "embed", tmp_path / "a.json", tmp_path / "layers.hdf5")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_configuration_without_elmo_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="token indexer elmo_characters, found none"):
        elmo(monkeypatch, "embed", CONFIGS / "baseline.jsonnet", tmp_path / "layers.hdf5")
    assert not list(tmp_path.iterdir())
