"""The configurations of five tasks, with and without ELMo, and the benchmark, on the fixtures."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _jsonnet
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.data.tokenizers import Token
from allennlp.models import Model
from allennlp.predictors import Predictor
from torch.testing import assert_close

from elmo_plugin.compat.command import running_command
from elmo_plugin.layers.torch_threads import torch_threads
from elmo_plugin.tasks.predicates import find_predicates
from tests.helpers.command_line import elmo
from tests.helpers.distributed import fork_trainings
from tests.helpers.interrupted_trainings import InterruptSecondEpoch, last_weights

ROOT = Path(__file__).parent.parent
CONFIGS = ROOT / "training_configs"
PLACES = {  # of ELMo, by the name of the configuration
    "baseline": (False, False),
    "elmo": (True, False),
    "elmo_output": (False, True),
    "elmo_both": (True, True),
}
SIZES: dict[str, dict[str, Any]] = {
    "snli": {"hidden": 8},
    "srl": {"hidden": 8, "layers": 2, "predicate": 3},
    "coref": {
        "character": 3,
        "character_filters": 4,
        "hidden": 8,
        "feedforward": 6,
        "feature": 3,
        "span_width": 4,
        "antecedents": 10,
    },
    "ner": {"character": 4, "character_filters": 6, "hidden": 8, "second_hidden": 6},
    "sst5": {"hidden": 8, "output": [6, 5]},
}
SQUAD_SIZES = {"character": 4, "character_filters": 6, "hidden": 8, "linear": 10}
RESUMED = {**SIZES, "squad": SQUAD_SIZES, "squad/bidaf": SQUAD_SIZES}
METRICS = {
    "snli": "accuracy",
    "srl": "f1-measure-overall",
    "coref": "coref_f1",
    "ner": "f1-measure-overall",
    "sst5": "accuracy",
}
# Each line is to be predicted, first from text and then from the same tokens.
TEXT_AND_TOKENS: dict[str, list[dict[str, Any]]] = {
    "snli": [
        {"premise": "A man didn't sleep.", "hypothesis": "He is awake."},
        {
            "premise": ["A", "man", "did", "n't", "sleep", "."],
            "hypothesis": ["He", "is", "awake", "."],
        },
    ],
    "srl": [
        {"sentence": "Ruth sold the painted boat, and Ivan slept."},
        {"sentence": ["Ruth", "sold", "the", "painted", "boat", ",", "and", "Ivan", "slept", "."]},
    ],
    "coref": [
        {"document": "Ruth met Ivan. She didn't like him!"},
        {"document": [["Ruth", "met", "Ivan", "."], ["She", "did", "n't", "like", "him", "!"]]},
    ],
    "ner": [
        {"sentence": "Ruth Adler didn't sail to Porto."},
        {"sentence": ["Ruth", "Adler", "did", "n't", "sail", "to", "Porto", "."]},
    ],
    "sst5": [
        {"sentence": "The film isn't dull."},
        {"sentence": ["The", "film", "is", "n't", "dull", "."]},
    ],
}
BILM = {
    "options_file": "fixtures/bilm/options.json",
    "weight_file": "fixtures/bilm/weights.hdf5",
    "dim": 64,
}


pytestmark = pytest.mark.usefixtures("at_the_root")


def changed(task: str, name: str, epochs: int = 1) -> str:
    """Return Jsonnet that changes a configuration to small sizes and a small biLM."""
    trainer = {"num_epochs": epochs, "callbacks": ["interrupt_second_epoch"]}
    return (
        f"(import '{CONFIGS}/{task}/{name}.jsonnet') {{ sizes+:: {json.dumps(RESUMED[task])}, "
        f"paths+:: {{ bilm: {json.dumps(BILM)} }}, trainer+: {json.dumps(trainer)}, "
        "dataset_reader+: { max_instances: 120 } }"
    )


def evaluated(snippet: str) -> dict[str, Any]:
    return json.loads(_jsonnet.evaluate_snippet("test", snippet))


def dev_data(task: str) -> str:
    return evaluated(f"import '{CONFIGS}/{task}/baseline.jsonnet'")["validation_data_path"]


@pytest.mark.parametrize(
    "name",
    [
        "baseline",
        "elmo",
        # `elmo_both` has ELMo at the output, too.
        pytest.param("elmo_output", marks=pytest.mark.slow),
        "elmo_both",
    ],
)
@pytest.mark.parametrize("task", SIZES)
def test_trains_evaluates_and_predicts(
    task: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, archive = tmp_path / "config.jsonnet", tmp_path / "run" / "model.tar.gz"
    config.write_text(changed(task, name))
    elmo(monkeypatch, "train", config, "-s", archive.parent, "--file-friendly-logging")

    scores = tmp_path / "scores.json"
    elmo(monkeypatch, "evaluate", archive, dev_data(task), "--output-file", scores)
    trained = json.loads((archive.parent / "metrics.json").read_text())
    score = json.loads(scores.read_text())[METRICS[task]]
    assert score == pytest.approx(trained[f"best_validation_{METRICS[task]}"], abs=1e-6)

    text, tokens = predicted(monkeypatch, archive, TEXT_AND_TOKENS[task], tmp_path)
    assert text == tokens
    parts = {"snli": "label", "srl": "verbs", "coref": "clusters", "ner": "tags", "sst5": "label"}
    assert parts[task] in text


def predicted(
    monkeypatch: pytest.MonkeyPatch, archive: Path, lines: list[dict[str, Any]], folder: Path
) -> list[dict[str, Any]]:
    given, found = folder / "in.jsonl", folder / "out.jsonl"
    given.write_text("".join(json.dumps(line) + "\n" for line in lines))
    elmo(monkeypatch, "predict", archive, given, "--output-file", found, "--silent")
    return [json.loads(line) for line in found.read_text().splitlines() if line]


def test_two_processes_have_the_scores_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each process scores a half of the development data."""
    task = "ner"
    config, archive = tmp_path / "config.jsonnet", tmp_path / "run" / "model.tar.gz"
    fork_trainings(monkeypatch)
    more = "{ distributed: { cuda_devices: [-1, -1] } }"
    config.write_text(f"({changed(task, 'baseline')}) + {more}")
    elmo(monkeypatch, "train", config, "-s", archive.parent, "--file-friendly-logging")
    scores = tmp_path / "scores.json"
    elmo(monkeypatch, "evaluate", archive, dev_data(task), "--output-file", scores)
    trained = json.loads((archive.parent / "metrics.json").read_text())
    for name, score in json.loads(scores.read_text()).items():
        if name != "loss":
            assert trained[f"best_validation_{name}"] == pytest.approx(score, abs=1e-6), name


@pytest.mark.parametrize("task", RESUMED)
def test_resumes(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On two threads, the weights are bit-identical to those of an uninterrupted training."""
    config, folder, whole = tmp_path / "config.jsonnet", tmp_path / "run", tmp_path / "whole"
    config.write_text(changed(task, "elmo_both", epochs=2))
    train = ("train", config, "--file-friendly-logging", "-s")
    with torch_threads(2):
        with monkeypatch.context() as patch, pytest.raises(SystemExit, match="elmo: interrupted"):
            patch.setattr(InterruptSecondEpoch, "active", True)
            elmo(patch, *train, folder)
        first = (folder / "metrics_epoch_0.json").stat().st_mtime_ns
        elmo(monkeypatch, *train, folder, "--recover")
        elmo(monkeypatch, *train, whole)
    assert (folder / "metrics_epoch_0.json").stat().st_mtime_ns == first
    assert json.loads((folder / "metrics.json").read_text())["epoch"] == 1
    assert (folder / "model.tar.gz").exists()
    resumed, expected = (last_weights(f) for f in (folder, whole))
    assert all(torch.equal(resumed[name], weight) for name, weight in expected.items())


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the key and the value of every leaf of a configuration."""
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        where = f"{path}.{key}" if path else str(key)
        if isinstance(child, (dict, list)):
            yield from numbers(child, where)
        else:
            yield where, child


@pytest.mark.parametrize("name", list(PLACES)[1:])
@pytest.mark.parametrize("task", SIZES)
def test_configurations_differ_in_elmo_only(task: str, name: str) -> None:
    """The values of the baseline are those of ELMo's configuration, except for dimensions."""
    baseline = dict(numbers(evaluated(changed(task, "baseline"))))
    elmo = dict(numbers(evaluated(changed(task, name))))
    # An encoder inside of `elmo_output` has moved by one name.
    inner = re.compile(r"^(model\.(encoder|context_layer))\.encoder\.")
    moved = [key for key in elmo if PLACES[name][1] and inner.match(key)]
    elmo |= {inner.sub(r"\1.", key): elmo.pop(key) for key in moved}
    wider = {key for key, value in baseline.items() if elmo.get(key) != value}
    allowed = r"\.input_(size|dim)$|\.use_\w+_elmo$"
    if task == "sst5" and name != "elmo_output":
        allowed += r"|\.embedding_dropout$"  # published so
    assert all(re.search(allowed, key) for key in wider), wider

    new = elmo.keys() - baseline.keys()
    mark = r"elmo|scalar_mixes|regularizer"
    if PLACES[name][1]:
        mark += r"|\.(encoder|context_layer)\.(embedder_dims\.\w+|start|end|dropout) "
    if task == "srl":
        mark += r"|\.use_input_projection_bias False$"  # published so
    assert new and all(re.search(mark, f"{key} {elmo[key]}") for key in new), new


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("task", SIZES)
def test_penalties_of_mixes(task: str, name: str) -> None:
    _, model = instances_and_model(task, name)
    mixes = [key for key, _ in model.named_parameters() if key.endswith("scalar_parameters")]
    assert len(mixes) == sum(PLACES[name])
    penalties = {"snli": 0.001, "srl": 0.001, "coref": 0.0, "ner": 0.1, "sst5": 0.001}
    with torch.no_grad():
        for number, key in enumerate(mixes):
            model.get_parameter(key).fill_(number + 1.0)  # squared norm: 3, then 12
    expected = penalties[task] * (0, 3, 15)[len(mixes)]
    penalty = model.get_regularization_penalty()
    assert torch.as_tensor(0.0 if penalty is None else penalty).item() == pytest.approx(expected)


def instances_and_model(task: str, name: str, count: int = 3) -> tuple[list[Any], Model]:
    config = evaluated(changed(task, name))
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    instances = list(reader.read(config["train_data_path"]))
    vocabulary = Vocabulary.from_instances(instances)
    for instance in instances[:count]:
        instance.index_fields(vocabulary)
    return instances[:count], Model.from_params(Params(config["model"]), vocab=vocabulary).eval()


def test_baselines_equal_models_of_allennlp() -> None:
    """Without ELMo, our models have the parameters and the loss of AllenNLP's."""
    models = {"coref": "coref", "ner": "crf_tagger", "srl": "srl", "sst5": "bcn"}
    for task, theirs in models.items():
        instances, model = instances_and_model(task, "baseline")
        config = evaluated(changed(task, "baseline"))["model"] | {"type": theirs}
        config.pop("head_dim", None)
        reference = Model.from_params(Params(config), vocab=model.vocab).eval()
        reference.load_state_dict(model.state_dict(), strict=True)
        with torch.no_grad():
            found, expected = (
                m(**Batch(instances).as_tensor_dict())["loss"] for m in (model, reference)
            )
        assert_close(found, expected, atol=0, rtol=0)


def test_paths_and_seed_can_be_changed() -> None:
    for task in SIZES:
        config = evaluated(
            f"(import '{CONFIGS}/{task}/elmo_both.jsonnet') {{ seed:: 7, paths+:: {{"
            f" {task}: {{ train: 'a', dev: 'b' }}, vectors: {{ file: 'c', dim: 10 }},"
            " bilm: { options_file: 'd', weight_file: 'e', dim: 20 } } }"
        )
        seeds = (config["random_seed"], config["numpy_seed"], config["pytorch_seed"])
        assert seeds == (7, 7, 7)
        assert (config["train_data_path"], config["validation_data_path"]) == ("a", "b")
        assert "fixtures" not in json.dumps(config)


def test_a_task_may_have_test_data_vectors_and_a_bilm_of_its_own() -> None:
    for task in SIZES:
        config = evaluated(
            f"(import '{CONFIGS}/{task}/elmo.jsonnet') {{ paths+:: {{ {task}+: {{ test: 'a',"
            " vectors: { file: 'b', dim: 10, lowercase: false },"
            " bilm: { options_file: 'c', weight_file: 'd', dim: 20 } } } }"
        )
        assert config["test_data_path"] == "a"
        values = dict(numbers(config))
        assert values["dataset_reader.token_indexers.tokens.lowercase_tokens"] is False
        embedder = "model.text_field_embedder.token_embedders.tokens"
        assert values[f"{embedder}.pretrained_file"] == "b"
        assert values[f"{embedder}.embedding_dim"] == 10
        assert "d" in [value for key, value in values.items() if key.endswith(".weight_file")]


@pytest.mark.parametrize("task", SIZES)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ("sizes+:: { hiden: 3 }", "sizes: expected only .*hidden.*, found hiden"),
        ("paths+:: { TASK+: { trian: 'a' } }", "paths.TASK: expected only .*, found trian"),
        ("paths+:: { tasks: { train: 'a' } }", "paths: expected only .*TASK.*, found tasks"),
        ("paths+:: { vectors+: { dims: 3 } }", "vectors: expected only .*, found dims"),
    ],
)
def test_misspelled_hidden_fields_are_refused(task: str, changes: str, message: str) -> None:
    changed_config = f"(import '{CONFIGS}/{task}/elmo.jsonnet') {{ {changes} }}"
    with pytest.raises(RuntimeError, match=message.replace("TASK", task)):
        evaluated(changed_config.replace("TASK", task))


def test_misspelled_paths_of_a_bilm_are_refused() -> None:
    config = f"(import '{CONFIGS}/bilm/mini.jsonnet') {{ paths+:: {{ lm+: {{ held: 'a' }} }} }}"
    with pytest.raises(RuntimeError, match=r"paths\.lm: expected only heldout, train, found held"):
        evaluated(config)


FORMATS = {
    "snli": "fixtures/snli/dev.jsonl",
    "srl": "fixtures/srl/dev",
    "ner": "fixtures/ner/dev.conll",
    "sst5": "fixtures/sst5/dev.txt",
    "none": "/dev/null",
}


@pytest.mark.parametrize("task", SIZES)
def test_errors_name_data_in_another_format(task: str) -> None:
    config = evaluated(changed(task, "baseline"))["dataset_reader"]
    reader = DatasetReader.from_params(Params(config))
    for path in (path for other, path in FORMATS.items() if other not in (task, "srl")):
        message = f"^{path}.*: expected "
        with running_command(), pytest.raises(ConfigurationError, match=message):
            list(reader.read(path))


def test_unknown_labels_are_named() -> None:
    instances, model = instances_and_model("ner", "baseline", count=1)
    instances[0].fields["tags"].labels[0] = "B-SHIP"
    instances[0].indexed = False
    instances[0].fields["tags"]._indexed_labels = None
    with pytest.raises(KeyError, match=r"B-SHIP.*labels"):
        instances[0].index_fields(model.vocab)


def predictor_of(task: str, **options: bool) -> Predictor:
    _, model = instances_and_model(task, "baseline", count=0)
    config = evaluated(changed(task, "baseline"))
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    return Predictor.by_name(model.default_predictor)(model, reader, **options)


def test_roles_of_tokens() -> None:
    predictor = predictor_of("srl")
    tokens = ["Ruth", "slept", "."]
    assert predictor.predict_tokenized(tokens) == predictor.predict_json({"sentence": tokens})


@pytest.mark.parametrize(
    ("task", "line"),
    [
        ("snli", {"premise": "A man sleeps.", "hypothesis": ""}),
        ("srl", {"sentence": ""}),
        ("srl", {"sentence": ["Ruth", "slept"], "predicates": [2]}),
        ("coref", {"document": ""}),
        ("ner", {"sentence": []}),
        ("sst5", {"sentence": " "}),
    ],
)
def test_empty_input_is_refused(task: str, line: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="expected"):
        predictor_of(task).predict_json(line)


@pytest.mark.parametrize(
    ("task", "line", "keys"),
    [
        (
            "snli",
            {"premise": "Zoë sleeps.", "hypothesis": "Zoë rests."},
            {"label", "probabilities"},
        ),
        ("srl", {"sentence": "Zoë slept."}, {"verbs", "words"}),
        ("coref", {"document": "Zoë slept. She dreamed."}, {"document", "clusters"}),
        ("ner", {"sentence": "Zoë slept."}, {"words", "tags"}),
        ("sst5", {"sentence": "Zoë liked it."}, {"label", "probabilities"}),
    ],
)
def test_printed_predictions_have_names_and_no_logits(
    task: str, line: dict[str, Any], keys: set[str]
) -> None:
    predictor = predictor_of(task)
    outputs = predictor.predict_json(line)
    printed = predictor.dump_line(outputs)
    found = json.loads(printed)
    assert set(found) == keys
    assert "\\u" not in printed
    if {"words", "document"} & keys:
        assert "Zoë" in printed
    if "probabilities" in found:
        assert found["label"] == max(found["probabilities"], key=found["probabilities"].get)
        assert sum(found["probabilities"].values()) == pytest.approx(1)
    everything = json.loads(predictor_of(task, all_outputs=True).dump_line(outputs))
    assert set(everything) == set(outputs)


def test_sentiments_have_names() -> None:
    found = predictor_of("sst5").predict_json({"sentence": "Ruth liked it ."})
    printed = json.loads(predictor_of("sst5").dump_line(found))
    names = ["very negative", "negative", "neutral", "positive", "very positive"]
    assert printed["label"] == names[int(found["label"])]


def test_labels_of_other_data_keep_their_names() -> None:
    # The model has labels "0" to "4", but its reader is not one of the treebank's.
    model = predictor_of("sst5")._model
    reader = DatasetReader.by_name("text_classification_json")()
    predictor = Predictor.by_name(model.default_predictor)(model, reader)
    probabilities = [0.1, 0.2, 0.4, 0.2, 0.1]
    printed = predictor.dump_line({"label": "2", "class_probabilities": probabilities})
    labels = model.vocab.get_index_to_token_vocabulary("labels")
    expected = {labels[index]: value for index, value in enumerate(probabilities)}
    assert json.loads(printed) == {"label": "2", "probabilities": expected}


def test_predicates_of_tagged_words_are_verbs() -> None:
    """Tags decide, and not the rule for untagged words, which takes "run" for a verb."""
    tags = {"The": "DET", "team": "NOUN", "run": "NOUN", "slept": "VERB"}
    instances = predictor_of("srl").tokens_to_instances(
        [Token(word, pos_=tag) for word, tag in tags.items()]
    )
    assert [instance["verb_indicator"].labels.index(1) for instance in instances] == [3]
    assert find_predicates(list(tags)) != [3]


def test_predicates_are_given_or_found() -> None:
    predictor = predictor_of("srl")
    words = ["The", "rain", "fell", "on", "Oslo"]
    given = predictor.predict_json({"sentence": words, "predicates": [1, 4]})
    assert [verb["verb"] for verb in given["verbs"]] == ["rain", "Oslo"]
    batch = [{"sentence": words}, {"sentence": "Good morning!"}, {"sentence": "Ruth slept."}]
    found = predictor.predict_batch_json(batch)
    assert [[verb["verb"] for verb in line["verbs"]] for line in found] == [["fell"], [], ["slept"]]
    assert [line["words"] for line in found][1] == ["Good", "morning", "!"]
