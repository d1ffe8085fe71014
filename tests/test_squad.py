"""The configurations of question answering, with and without ELMo, on the fixtures."""

import json
from pathlib import Path
from typing import Any

import _jsonnet
import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from elmo_plugin.modules.seq2seq_encoders.elmo_output import ElmoOutputEncoder
from tests.helpers.command_line import elmo

ROOT = Path(__file__).parent.parent
CONFIGS = ROOT / "training_configs" / "squad"
PLACES = {  # of ELMo, by the name of the configuration
    "baseline": (False, False),
    "elmo": (True, False),
    "elmo_output": (False, True),
    "elmo_both": (True, True),
}
NAMES = [f"{folder}{name}" for folder in ("", "bidaf/") for name in PLACES]
DEV = "fixtures/squad/dev.json"
BILM = {
    "options_file": "fixtures/bilm/options.json",
    "weight_file": "fixtures/bilm/weights.hdf5",
    "dim": 64,
}
TEXT = {"question": "Who didn't sail?", "passage": "Ruth Adler sailed to Porto; Ivan didn't."}
TOKENS = {
    "question": ["Who", "did", "n't", "sail", "?"],
    "passage": ["Ruth", "Adler", "sailed", "to", "Porto", ";", "Ivan", "did", "n't", "."],
}


pytestmark = pytest.mark.usefixtures("at_the_root")


def changed(name: str) -> str:
    """Return Jsonnet that changes a configuration to small sizes and a small biLM."""
    sizes = {"character": 4, "character_filters": 6, "hidden": 8, "linear": 10}
    return (
        f"(import '{CONFIGS}/{name}.jsonnet') {{ sizes+:: {json.dumps(sizes)}, "
        f"paths+:: {{ bilm: {json.dumps(BILM)} }}, trainer+: {{ num_epochs: 1 }} }}"
    )


def evaluated(snippet: str) -> dict[str, Any]:
    return json.loads(_jsonnet.evaluate_snippet("test", snippet))


def built(name: str) -> Model:
    config = evaluated(changed(name))
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    vocabulary = Vocabulary.from_instances(reader.read(DEV))
    return Model.from_params(Params(config["model"]), vocab=vocabulary)


@pytest.mark.parametrize("name", NAMES)
def test_trains_evaluates_and_predicts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, archive = tmp_path / "config.jsonnet", tmp_path / "run" / "model.tar.gz"
    config.write_text(changed(name))
    elmo(monkeypatch, "train", config, "-s", archive.parent, "--file-friendly-logging")

    scores = tmp_path / "scores.json"
    elmo(monkeypatch, "evaluate", archive, DEV, "--output-file", scores)
    trained = json.loads((archive.parent / "metrics.json").read_text())
    found = json.loads(scores.read_text())
    for metric in ("em", "f1"):
        assert found[metric] == pytest.approx(trained[f"best_validation_{metric}"], abs=1e-6)

    given, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    given.write_text(f"{json.dumps(TEXT)}\n{json.dumps(TOKENS)}\n")
    elmo(monkeypatch, "predict", archive, given, "--output-file", output, "--silent")
    text, tokens = (json.loads(line) for line in output.read_text().splitlines())
    for line, passage in ((text, TEXT["passage"]), (tokens, " ".join(TOKENS["passage"]))):
        if not name.startswith("bidaf/"):  # a model of AllenNLP's, which prints all outputs
            assert set(line) == {"best_span", "best_span_str"}
        assert line["best_span_str"] and line["best_span_str"] in passage
    assert text["best_span"] == tokens["best_span"]

    given.write_text(json.dumps(TEXT | {"passage": ""}) + "\n")
    with pytest.raises(SystemExit, match="passage: expected at least one token, got ''"):
        elmo(monkeypatch, "predict", archive, given, "--output-file", output, "--silent")


@pytest.mark.parametrize("name", NAMES)
def test_location_of_elmo(name: str) -> None:
    model = built(name)
    at_input, at_output = PLACES[name.rsplit("/", 1)[-1]]
    encoders = [m for m in model.modules() if isinstance(m, ElmoOutputEncoder)]
    assert len(encoders) == at_output
    mixes = [key for key, _ in model.named_parameters() if key.endswith("scalar_parameters")]
    assert len(mixes) == at_input + at_output
    x_dim = 16 + 6
    assert model._phrase_layer.get_input_dim() == x_dim + 64 * (at_input + at_output)
    assert model._phrase_layer.get_output_dim() == 2 * 8 + 64 * at_output
    assert not model.get_regularization_penalty()


@pytest.mark.parametrize("name", [name for name in NAMES if "elmo" in name])
def test_configurations_differ_in_elmo_only(name: str) -> None:
    folder = name.rpartition("/")[0]
    with_elmo = evaluated(f"import '{CONFIGS}/{name}.jsonnet'")
    baseline = evaluated(f"import '{CONFIGS / folder}/baseline.jsonnet'")
    assert with_elmo["dataset_reader"]["token_indexers"].pop("elmo")
    embedders = with_elmo["model"]["text_field_embedder"]["token_embedders"]
    assert embedders.pop("elmo")["dropout"] == 0.5
    models = with_elmo.pop("model"), baseline.pop("model")
    assert with_elmo == baseline
    for model in models:
        model.pop("regularizer")
        phrase_layer = model.pop("phrase_layer")
        if phrase_layer["type"] == "elmo_output":
            phrase_layer = phrase_layer["encoder"]
        assert phrase_layer.get("encoder", phrase_layer).pop("input_size") >= 100 + 16
        model["phrase_layer"] = phrase_layer
        if "bidaf/" not in name:
            parameter, _ = model["initializer"]["regexes"].pop()
            assert parameter == "^_attention._weight_vector"  # whose scale is that of its size
        if "bidaf/" in name:  # where encoded tokens come in
            if PLACES[name.removeprefix("bidaf/")][1]:
                model.pop("num_highway_layers")  # see the configuration's header
            for key in ("tensor_1_dim", "tensor_2_dim"):
                model["matrix_attention"].pop(key)
            for key in ("modeling_layer", "span_end_encoder"):
                model[key].pop("input_size")
    assert models[0] == models[1]
