"""Words of test data that training has not seen."""

from copy import deepcopy
from pathlib import Path

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.data import Batch, DatasetReader, Instance, Token, Vocabulary
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.models import Model

from elmo_plugin.experiments.runner.configurations import Configuration, read_configuration
from elmo_plugin.experiments.runner.known_words import add_words_with_vectors

ROOT = Path(__file__).parents[3]
TREE = "(3 (2 Zanzibar) (3 (3 glows) (2 xyzzy)))"  # the last one has no vector


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configuration:
    monkeypatch.chdir(ROOT)
    import_plugins()
    vectors = (ROOT / "fixtures/vectors/vectors.16d.txt").read_text().splitlines(keepends=True)
    new = [f"{word} {' '.join(map(str, row))}\n" for word, row in new_vectors().items()]
    (tmp_path / "vectors.txt").write_text("".join(vectors + new))
    (tmp_path / "test.txt").write_text(f"{TREE}\n")
    overrides = (
        "{ sizes+:: { hidden: 4, output: [6, 5] }, "
        f"paths+:: {{ vectors: {{ file: '{tmp_path / 'vectors.txt'}', dim: 16 }} }} }}"
    )
    return read_configuration(f"{ROOT}/training_configs/sst5/baseline.jsonnet", overrides)


def new_vectors() -> dict[str, list[float]]:
    rows = numpy.random.default_rng(0).normal(size=(2, 16)).round(4)
    return {"zanzibar": rows[0].tolist(), "glows": rows[1].tolist()}


@pytest.mark.parametrize("folder", ["{}", "~"])
def test_words_with_a_vector_have_it(
    folder: str, config: Configuration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    vectors = config["model"]["text_field_embedder"]["token_embedders"]["tokens"]
    vectors["pretrained_file"] = f"{folder.format(tmp_path)}/vectors.txt"
    reader = DatasetReader.from_params(Params(config["validation_dataset_reader"]))
    train = list(reader.read(config["train_data_path"]))
    # A model that is loaded from an archive does not know the file of its vectors.
    loaded = deepcopy(config["model"])
    del loaded["text_field_embedder"]["token_embedders"]["tokens"]["pretrained_file"]
    model = Model.from_params(Params(loaded), vocab=Vocabulary.from_instances(train)).eval()
    test = list(reader.read(tmp_path / "test.txt"))
    labels = dict(model.vocab.get_token_to_index_vocabulary("labels"))
    before = model.forward_on_instances(train[:3])

    add_words_with_vectors(model, config, test)

    batch = Batch(test)
    batch.index_instances(model.vocab)
    with torch.no_grad():
        found = model._text_field_embedder(batch.as_tensor_dict()["tokens"])[0]
        tokens = {"tokens": {"tokens": torch.tensor([[1]])}}
        unknown = model._text_field_embedder(tokens)[0, 0]
    expected = torch.tensor([*new_vectors().values()])
    torch.testing.assert_close(found[:2], expected)
    torch.testing.assert_close(found[2], unknown)
    # Nothing else changes.
    assert model.vocab.get_token_to_index_vocabulary("labels") == labels
    after = model.forward_on_instances(list(reader.read(config["train_data_path"]))[:3])
    for one, other in zip(before, after):
        numpy.testing.assert_array_equal(one["logits"], other["logits"])


@pytest.mark.parametrize("files", [[], ["missing.txt"], ["a.txt", "b.txt"]])
def test_without_one_file_nothing_is_added(
    files: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("word 1 2\n")
    model = Model(Vocabulary())
    paths = {str(i): {"pretrained_file": str(tmp_path / file)} for i, file in enumerate(files)}
    word = TextField([Token("word")], {"tokens": SingleIdTokenIndexer()})
    add_words_with_vectors(model, {"model": paths}, [Instance({"tokens": word})])
    assert model.vocab.get_vocab_size("tokens") == 2
    assert "no file of vectors" in caplog.text
