"""The TokenEmbedder `elmo` against AllenNLP's `elmo_token_embedder`."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params, file_utils
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import sanitize
from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
from allennlp.models import Model, load_archive
from allennlp.modules import TextFieldEmbedder, TokenEmbedder
from torch.testing import assert_close

from elmo_plugin.layers import batch_to_ids
from elmo_plugin.modules.token_embedders import ElmoTokenEmbedder
from elmo_plugin.weights import load_bilm
from elmo_plugin.weights.resolve import BUILT_IN_FOLDER
from tests.helpers.browser import serve
from tests.helpers.elmo_embedders import (
    DOCUMENTED,
    assert_near,
    documented_params,
    make_embedder,
    stateless,
)
from tests.helpers.random_bilm import SENTENCES, Files

NAMES = sorted(path.stem for path in DOCUMENTED.glob("*.jsonnet"))


def test_default_is_the_built_in_bilm() -> None:
    built_in = TokenEmbedder.from_params(Params({"type": "elmo"})).eval()
    of_files = make_embedder(
        Files(BUILT_IN_FOLDER / "options.json", BUILT_IN_FOLDER / "weights.hdf5")
    )
    ids = batch_to_ids(SENTENCES)
    assert_close(built_in(ids), of_files(ids), atol=0, rtol=0)


def instances_and_model(config: Params) -> tuple[list[Instance], Model]:
    reader = DatasetReader.from_params(config["dataset_reader"])
    instances = list(reader.read(config["train_data_path"]))
    vocabulary = Vocabulary.from_instances(instances)
    for instance in instances:
        instance.index_fields(vocabulary)
    return instances, Model.from_params(config["model"], vocab=vocabulary).eval()


@pytest.mark.parametrize("name", NAMES)
def test_models_equal_those_with_allennlps_embedder(name: str, files: Files) -> None:
    configs = [documented_params(name, files, word) for word in ("elmo_token_embedder", "elmo")]
    for config in configs:
        # Statistics of a sentence here, of the whole batch there: not to be compared.
        elmo = config["model"]["text_field_embedder"]["token_embedders"]["elmo"]
        elmo["do_layer_norm"] = False
    (instances, theirs), (_, ours) = (instances_and_model(config) for config in configs)
    task = {k: v for k, v in theirs.state_dict().items() if "_elmo." not in k}
    loaded = ours.load_state_dict(task, strict=False)
    assert not loaded.unexpected_keys
    assert all("_elmo." in key for key in loaded.missing_keys)

    results = []
    for model in (stateless(theirs), ours):
        vectors: list[torch.Tensor] = []
        for module_name, module in model.named_modules():
            if module_name.endswith("token_embedder_elmo"):
                module.register_forward_hook(lambda m, i, output, kept=vectors: kept.append(output))
        with torch.no_grad():
            output = model(**Batch(instances).as_tensor_dict())
        results.append((vectors, output["loss"]))
    (expected_vectors, expected_loss), (vectors, loss) = results
    assert len(vectors) == len(expected_vectors) > 0
    for vector, expected in zip(vectors, expected_vectors):
        assert_near(vector, expected)
    assert_near(loss, expected_loss)


@pytest.mark.parametrize("name", NAMES)
def test_models_train_save_and_load(name: str, files: Files, tmp_path: Path) -> None:
    model = train_model(
        documented_params(name, files), tmp_path / "run", file_friendly_logging=True
    )
    (elmo,) = (m for m in model.modules() if isinstance(m, ElmoTokenEmbedder))
    assert_close(dict(elmo._elmo.bilm.state_dict()), dict(load_bilm(*files).state_dict()))
    assert elmo._elmo.scalar_mixes[0].scalar_parameters.any()  # they start from 0

    archive = load_archive(tmp_path / "run" / "model.tar.gz")
    instances = list(archive.dataset_reader.read(documented_params(name, files)["train_data_path"]))
    model, loaded = model.eval(), archive.model.eval()
    outputs = [sanitize(m.forward_on_instances(instances)) for m in (loaded, model)]
    # The model read its sentences in batches of the training, the loaded one all at once.
    found, expected = (dict(leaves(output)) for output in outputs)
    assert found.keys() == expected.keys()
    for path, value in expected.items():
        near = pytest.approx(value, rel=0, abs=1e-6) if isinstance(value, float) else value
        assert found[path] == near


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and value of every number and string in nested lists and dictionaries."""
    if isinstance(value, (dict, list)):
        children = value.items() if isinstance(value, dict) else enumerate(value)
        for key, child in children:
            yield from leaves(child, f"{path}.{key}")
    else:
        yield path, value


@pytest.mark.parametrize("arguments", [{}, {"scalar_mix_parameters": [0.5, -1.0, 2.0]}], ids=str)
def test_carried_state_equals_allennlps_default(files: Files, arguments: dict[str, Any]) -> None:
    ours = make_embedder(files, initial_state="carried", **arguments)
    theirs = make_embedder(files, "elmo_token_embedder", **arguments)
    for batch in (SENTENCES, SENTENCES[1:3], SENTENCES * 2, SENTENCES[:2]):
        ids = batch_to_ids(batch)
        assert_near(ours(ids), theirs(ids))


def test_wrapped_dimensions(files: Files) -> None:
    config = {"type": "elmo", "options_file": str(files[0]), "weight_file": str(files[1])}
    field = TextFieldEmbedder.from_params(Params({"token_embedders": {"elmo": config}})).eval()
    flat = batch_to_ids(SENTENCES)
    wrapped = flat.view(2, 3, *flat.shape[1:])
    expected = field({"elmo": {"elmo_tokens": flat}})
    vectors = field({"elmo": {"elmo_tokens": wrapped}}, num_wrapping_dims=1)
    assert_near(vectors, expected.view(2, 3, *expected.shape[1:]))
    assert_near(make_embedder(files)(wrapped), vectors)


@pytest.fixture
def served(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(file_utils, "CACHE_DIRECTORY", str(tmp_path / "cache"))
    with serve(files.options.parent) as address:
        yield address


def test_files_at_a_url(files: Files, served: str) -> None:
    urls = Files(*(f"{served}{path.name}" for path in files))  # type: ignore[arg-type]
    ids = batch_to_ids(SENTENCES)
    assert torch.equal(make_embedder(urls)(ids), make_embedder(files)(ids))


def test_missing_bilm_of_a_trained_model_raises(files: Files, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    shutil.copytree(files.options.parent, old)
    moved = Files(old / files.options.name, old / files.weights.name)
    train_model(documented_params("srl_elmo", moved), tmp_path / "run", file_friendly_logging=True)
    old.rename(new)
    archive = tmp_path / "run" / "model.tar.gz"
    with pytest.raises(ConfigurationError, match=r"options\.json.*--overrides"):
        load_archive(archive)
    elmo = "model.text_field_embedder.token_embedders.elmo."
    paths = {
        elmo + "options_file": str(new / files.options.name),
        elmo + "weight_file": str(new / files.weights.name),
    }
    load_archive(archive, overrides=paths)
