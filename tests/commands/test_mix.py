"""`elmo mix` and the callback "mix_weights", on briefly trained taggers."""

import json
from pathlib import Path

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import load_archive

from elmo_plugin.experiments.figure2_layer_weights import trained_mixes
from elmo_plugin.experiments.runner.run_files import Run, write_record
from elmo_plugin.layers import Elmo
from elmo_plugin.weights.learned_mixes import Mix
from tests.helpers.command_line import elmo
from tests.helpers.random_bilm import random_bilm

ROOT = Path(__file__).parent.parent.parent
SMALL = {
    "trainer.num_epochs": 2,
    "trainer.callbacks": [{"type": "mix_weights"}],
    "trainer.optimizer.lr": 0.1,
    "data_loader.batch_sampler.batch_size": 128,
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs, config = (
        tmp_path_factory.mktemp("runs"),
        tmp_path_factory.mktemp("ner") / "tagger.jsonnet",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for name in ("elmo", "baseline"):
            original = f"{ROOT}/training_configs/ner/{name}.jsonnet"
            config.write_text(f"(import '{original}') {{ sizes+:: {{ hidden: 4 }} }}")
            elmo(patch, "train", config, "-s", runs / name, "-o", json.dumps(SMALL))
    return runs


def test_weights_are_those_of_the_loaded_model(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "mix"
    archives = (runs / "elmo" / "model.tar.gz", runs / "elmo")
    for title in ("first", "*"):  # the second table replaces the first; no title is a glob
        monkeypatch.chdir(tmp_path)
        elmo(monkeypatch, "mix", *archives, "--out", "mix", "--title", title)

    rows = json.loads(out.with_suffix(".json").read_text())["rows"]
    model = load_archive(runs / "elmo" / "model.tar.gz").model
    [mix] = model.text_field_embedder.token_embedder_elmo._elmo.scalar_mixes
    weights = mix.weights().tolist()
    assert len(set(weights)) == 3
    for row in rows:
        assert [row[f"s_{j}"]["mean"] for j in range(3)] == pytest.approx(weights)
        assert row["gamma"]["mean"] == mix.gamma.item()
        assert (row["type"], row["location"]) == ("elmo_crf_tagger", "input")
    # Of the same name, and not known to be seeds of one configuration.
    found = [(row["trained model"], row["seeds"]) for row in rows]
    assert found == [(str(archive), 1) for archive in archives]
    assert all(out.with_suffix(f".{kind}").stat().st_size for kind in ("md", "png", "svg"))


def test_callback_logs_the_weights_of_each_epoch(runs: Path) -> None:
    lines = (runs / "elmo" / "mix_weights.jsonl").read_text().splitlines()
    start, first, last = map(json.loads, lines)
    assert [start["epochs"], first["epochs"], last["epochs"]] == [0, 1, 2]
    assert start["weights"] == pytest.approx([1 / 3] * 3)
    assert start["gamma"] == 1
    assert start["weights"] != first["weights"] != last["weights"]
    metrics = json.loads((runs / "elmo" / "metrics.json").read_text())
    best = [start, first, last][metrics["best_epoch"] + 1]
    [found] = trained_mixes(str(runs / "elmo"))
    assert (found.mix.weights, found.mix.gamma) == (pytest.approx(best["weights"]), best["gamma"])


@pytest.mark.parametrize(
    "mixes, encoder, locations",
    [
        (1, "lstm", ["input"]),
        (2, "lstm", ["input 1", "input 2"]),
        (1, "elmo_output", ["output"]),
        (2, "elmo_output", ["input", "output"]),
    ],
)
def test_locations_of_input_and_output_mixes(
    mixes: int, encoder: str, locations: list[str], tmp_path: Path
) -> None:
    model = {"type": "tagger", "encoder": {"type": encoder, "encoder": {"type": "lstm"}}}
    (tmp_path / "config.json").write_text(json.dumps({"model": model}))
    module = Elmo(random_bilm(), num_output_representations=mixes)
    for i, mix in enumerate(module.scalar_mixes):
        torch.nn.init.constant_(mix.gamma, i)
    torch.save(module.state_dict(), tmp_path / "best.th")

    found = trained_mixes(str(tmp_path))

    assert [one.location for one in found] == locations
    assert [one.mix.gamma for one in found] == list(range(mixes))


def test_archive_without_a_mix(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match=r"baseline.*found elmo_crf_tagger without"):
        elmo(monkeypatch, "mix", runs / "elmo", runs / "baseline")


def test_json_file_of_another_kind(runs: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"metrics\.json: expected a finished training run"
    ):
        trained_mixes(str(runs / "elmo" / "metrics.json"))


def test_directory_without_a_training(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"expected config\.json of a training run"):
        trained_mixes(str(tmp_path))


def test_seeds_with_other_layers_and_a_model_twice(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match="expected each model once"):
        elmo(monkeypatch, "mix", runs / "elmo", runs / "elmo" / ".")
    records = [tmp_path / f"ner-elmo-{seed}-{seed:012x}.json" for seed in (1, 2)]
    for file, weights in zip(records, ([0.5, 0.5], [0.2, 0.3, 0.5])):
        write_record(_run(weights), file)
    with pytest.raises(SystemExit, match=r"NER, elmo, .*, input: .* layers .* \[2, 3\]"):
        elmo(monkeypatch, "mix", *records)


def test_settings_of_a_search_are_no_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("search0-0123456789ab", "search1-123456789abc", "2-23456789abcd")
    records = [tmp_path / f"ner-elmo-{name}.json" for name in names]
    for file in records:
        write_record(_run([0.5, 0.5]), file)
    with pytest.raises(SystemExit, match=r"ner-elmo: .* settings 0, 1"):
        elmo(monkeypatch, "mix", *records)
    elmo(monkeypatch, "mix", *records[1:], "--out", tmp_path / "mix")
    [row] = json.loads((tmp_path / "mix.json").read_text())["rows"]
    assert row["seeds"] == 2


def test_runs_of_two_protocols_are_no_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("search0-0123456789ab", "2-123456789abc", "search0-23456789abcd", "2-3456789abcde")
    records = [tmp_path / f"ner-elmo-{name}.json" for name in names]
    for file in records:
        write_record(_run([0.5, 0.5]), file)
    for pair, seed in (((0, 2), "search0"), ((1, 3), "2")):
        with pytest.raises(SystemExit, match=rf"another seed than .*, found {seed}$"):
            elmo(monkeypatch, "mix", *(records[i] for i in pair))
    elmo(monkeypatch, "mix", *records[:2])


@pytest.mark.parametrize("weights", [[5.0, -4.0], [0.5, 0.6]])
def test_weights_that_are_no_average(weights: list[float], tmp_path: Path) -> None:
    write_record(_run(weights), tmp_path / "run.json")
    with pytest.raises(ConfigurationError, match=r"run\.json: mix: expected weights .* sum to 1"):
        trained_mixes(str(tmp_path / "run.json"))


def test_renamed_record_has_its_file_name(tmp_path: Path) -> None:
    for name in ("mine", "my-run-1"):
        write_record(_run([0.5, 0.5]), tmp_path / f"{name}.json")
        assert trained_mixes(str(tmp_path / f"{name}.json"))[0].name == name


def _run(weights: list[float]) -> Run:
    mixes = [Mix("mix", weights, 1.0)]
    return Run("f", "m", "a", [1.0], mixes, ["input"], 1, 1, 1, 1, 1, False, "", "")
