"""Several processes that search settings at a time."""

import json
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins

from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.configurations import validation_metric
from elmo_plugin.experiments.runner.fingerprints import fingerprint
from elmo_plugin.experiments.runner.run_files import Run, write_record
from elmo_plugin.experiments.runner.runs import Runs
from elmo_plugin.experiments.runner.search import best_points, search
from elmo_plugin.experiments.runner.settings import Settings
from elmo_plugin.experiments.runner.systems import System
from tests.helpers.locked_runs import lock_until
from tests.helpers.task_comparisons import NER, OVERRIDES, ROOT

PROTOCOL = """{
    grid:: (import 'training_configs/lib/grid.libsonnet')([0.2, 0.5], [0.01]),
    seeds:: [1, 2],
    paths+:: { ner+: { test: 'fixtures/ner/dev.conll' } },
}"""


def test_development_scores_choose_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    import_plugins()
    given = Settings(f"{OVERRIDES} + {PROTOCOL}", None, str(tmp_path / "runs"))
    systems = {name: System(str(NER / f"{name}.jsonnet")) for name in ("baseline", "elmo")}
    comparison = Comparison("ner", systems, given)
    grids = {
        name: [comparison.configuration(name, 1, point) for point in range(2)] for name in systems
    }
    runs = Runs(tmp_path / "runs")
    (tmp_path / "runs").mkdir()
    # The best epoch of the first system's second setting, and of the second system's first.
    scores = {"baseline": ([20.0, 10.0], [5.0, 30.0]), "elmo": ([40.0], [30.0])}
    for name, (first, second) in scores.items():
        assert name not in best_points(runs, grids)
        for config, values in zip(grids[name], (first, second)):
            key, metric = fingerprint(config), validation_metric(config)
            run = Run(key, "m", metric, values, [], [], 1, 1, 1, 1, 1, False, "", "")
            write_record(run, tmp_path / "runs" / f"ner-{name}-{key[:12]}.json")
    assert best_points(runs, grids) == {"baseline": 1, "elmo": 0}


def test_systems_with_one_name_and_two_configurations(tmp_path: Path) -> None:
    grids = {"a": [{"model": {"type": "x"}}], "b": [{"model": {"type": "y"}}]}
    labels = dict.fromkeys(grids, "baseline")
    with pytest.raises(ConfigurationError, match=r"^baseline-search0: expected one"):
        search(Runs(tmp_path), grids, labels)


def test_seeds_of_searched_systems_are_trained_while_another_process_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    import_plugins()
    systems = {name: System(str(NER / f"{name}.jsonnet")) for name in ("baseline", "elmo")}
    given = Settings(f"{OVERRIDES} + {PROTOCOL}", None, str(tmp_path / "runs"))
    comparison = Comparison("ner", systems, given)
    searched_elsewhere = fingerprint(comparison.configuration("baseline", 1, point=1))
    (tmp_path / "runs").mkdir()
    lock = tmp_path / "runs" / f"{searched_elsewhere[:12]}.lock"
    with lock_until(lock, "ner-elmo-2-*.json") as archives:
        outcomes = comparison.train()
    reported = [
        line.split(": ")[1].split(",")[0]
        for line in capsys.readouterr().err.splitlines()
        if " of " in line and ": ner-" in line
    ]
    assert reported.index("ner-elmo-2") < reported.index("ner-baseline-search1")
    # It may have the best settings.
    assert any(name.startswith("ner-baseline-search0-") for name in archives)
    assert {name: len(one.runs) for name, one in outcomes.items()} == {"baseline": 2, "elmo": 2}
    assert outcomes == Comparison("ner", systems, given).find()
    assert len([*(tmp_path / "runs").glob("*.tar.gz")]) == 4

    # A setting that was not chosen, but might have been with the committed code.
    (lost,) = (
        record
        for record in (tmp_path / "runs").glob("ner-baseline-search?-????????????.json")
        if not record.with_suffix(".tar.gz").exists()
    )
    lost.write_text(json.dumps({**json.loads(lost.read_text()), "commit": "commit a-dirty"}))
    with pytest.raises(ValueError, match=r"ner, baseline: .* found commit a-dirty;"):
        comparison.find()
