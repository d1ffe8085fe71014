"""Speakers and genre in coreference resolution, on documents in the columns of OntoNotes."""

import json
from pathlib import Path
from typing import Any

import _jsonnet
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
from allennlp.models import Model
from torch.testing import assert_close

SENTENCES = [
    ("ann", "I saw the dog .", ["(0)", "-", "(1", "1)", "-"]),
    ("bob", "You saw it too .", ["(0)", "-", "(1)", "-", "-"]),
    ("ann", "I did .", ["(0)", "-", "-"]),
]
CHANGE = {
    "sizes": {
        **{"character": 3, "character_filters": 4, "hidden": 6, "feedforward": 5, "feature": 3},
        **{"span_width": 3, "antecedents": 10},
    },
    "bilm": {
        "options_file": "fixtures/bilm/options.json",
        "weight_file": "fixtures/bilm/weights.hdf5",
        "dim": 64,
    },
}


pytestmark = pytest.mark.usefixtures("at_the_root")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    lines = []
    for genre in ("bc", "nw"):
        lines.append(f"#begin document ({genre}/1); part 000")
        for speaker, words, mentions in SENTENCES:
            for i, (word, mention) in enumerate(zip(words.split(), mentions)):
                lines.append(f"{genre}/1 0 {i} {word} XX - - - - {speaker} * {mention}")
            lines.append("")
        lines.append("#end document")
    path = tmp_path / "train.gold_conll"
    path.write_text("\n".join(lines) + "\n")
    return path


def config_of(change: str = "{}") -> dict[str, Any]:
    snippet = (
        f"(import 'training_configs/coref/published.jsonnet') {{ "
        f"local change = {json.dumps(CHANGE)}, sizes+:: change.sizes, "
        f"paths+:: {{ bilm: change.bilm }} }} + {change}"
    )
    return json.loads(_jsonnet.evaluate_snippet("test", snippet))


def read(file: Path, change: str = "{}") -> list[Instance]:
    reader = DatasetReader.from_params(Params(config_of(change)["dataset_reader"]))
    return list(reader.read(file))


def built(instances: list[Instance]) -> Any:
    vocabulary = Vocabulary.from_instances(instances)
    torch.manual_seed(0)
    return Model.from_params(Params(config_of()["model"]), vocab=vocabulary).eval()


def tensors(model: Any, instances: list[Instance]) -> dict[str, Any]:
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    return batch.as_tensor_dict()


def test_reader_numbers_speakers_and_names_the_genre(file: Path) -> None:
    instances = read(file)
    assert [instance["genre"].label for instance in instances] == ["bc", "nw"]
    for instance in instances:
        assert instance["speakers"].tensor.tolist() == [0] * 5 + [1] * 5 + [0] * 3
        assert len(instance["metadata"]["clusters"]) == 2
    (shorter, _) = read(file, "{ max_sentences:: 2 }")
    assert shorter["speakers"].tensor.tolist() == [0] * 5 + [1] * 5


def test_features_are_those_of_the_first_words_speakers_and_of_the_genre(file: Path) -> None:
    instances = read(file)
    model = built(instances)
    pairs: list[torch.Tensor] = []
    model._antecedent_feedforward.register_forward_pre_hook(lambda _, args: pairs.append(args[0]))
    batch = tensors(model, instances)
    output = model(**batch)
    speaker, genre = pairs[0][..., -6:-3], pairs[0][..., -3:]
    for row, (spans, antecedents) in enumerate(
        zip(output["top_spans"], output["antecedent_indices"])
    ):
        spoken = batch["speakers"][row][spans[:, 0]]
        for span, others in enumerate(antecedents):
            for pair, other in enumerate(others):
                same = int(spoken[span] == spoken[other])
                expected = model._same_speaker_embedding.weight[same]
                assert_close(speaker[row, span, pair], expected)
                assert_close(genre[row, span, pair], model._genre_embedding.weight[row])


def test_gradients_reach_both_features(file: Path) -> None:
    instances = read(file)
    model = built(instances)
    model(**tensors(model, instances))["loss"].backward()
    for name in ("_same_speaker_embedding", "_genre_embedding"):
        assert model.get_submodule(name).weight.grad.any()


def test_predicts_without_speakers_and_genre(file: Path) -> None:
    instances = read(file)
    model = built(instances)
    reader: Any = DatasetReader.from_params(Params(config_of()["dataset_reader"]))
    plain = reader.text_to_instance([words.split() for _, words, _ in SENTENCES])
    assert "clusters" in model.forward_on_instance(plain)


def test_options_without_pairs_of_spans_are_refused(file: Path) -> None:
    config = config_of()["model"] | {"coarse_to_fine": True}
    with pytest.raises(ConfigurationError, match="coarse_to_fine: expected none"):
        Model.from_params(Params(config), vocab=Vocabulary.from_instances(read(file)))
