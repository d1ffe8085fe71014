"""Each configuration is trained once, training resumes, and fingerprints are distinct."""

import hashlib
import json
import math
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any, ClassVar

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.training.callbacks import TrainerCallback
from filelock import FileLock

from elmo_plugin.experiments.figure2_layer_weights import trained_mixes
from elmo_plugin.experiments.runner.changes import with_fraction, with_seed
from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.fingerprints import fingerprint
from elmo_plugin.experiments.runner.outcomes import Outcome
from elmo_plugin.experiments.runner.run_files import Evaluation
from elmo_plugin.experiments.runner.runs import Runs
from elmo_plugin.reporting.provenance import check_trained_by_committed
from tests.helpers.finished_runs import finish
from tests.helpers.interrupted_trainings import InterruptSecondEpoch

BILM = Path(__file__).parents[3] / "fixtures" / "bilm"
SENTENCES = ["Ann###P sings###V", "Bo###P and###C Ann###P sleep###V", "dogs###N sleep###V"]


@pytest.fixture
def config(tmp_path: Path) -> Configuration:
    """A tagger with two mixes of the small biLM of the fixtures."""
    import_plugins()
    data = tmp_path / "data" / "tagged.txt"
    data.parent.mkdir()
    data.write_text("\n".join(SENTENCES * 3) + "\n")
    elmo = {
        "type": "elmo",
        "options_file": str(BILM / "options.json"),
        "weight_file": str(BILM / "weights.hdf5"),
        "num_output_representations": 2,
    }
    return {
        "dataset_reader": {
            "type": "sequence_tagging",
            "word_tag_delimiter": "###",
            "token_indexers": {"elmo": {"type": "elmo_characters"}},
        },
        "train_data_path": str(data),
        "validation_data_path": str(data),
        "data_loader": {"batch_size": 2},
        "model": {
            "type": "simple_tagger",
            "text_field_embedder": {"token_embedders": {"elmo": elmo}},
            "encoder": {"type": "pass_through", "input_dim": 128},
        },
        "trainer": {
            "optimizer": {"type": "adam", "lr": 0.01},
            "num_epochs": 3,
            "validation_metric": "+accuracy",
            "callbacks": ["interrupt_second_epoch"],
        },
    }


def test_run_describes_the_training(config: Configuration, tmp_path: Path) -> None:
    run = finish(Runs(tmp_path / "runs"), config)
    assert (run.trained_on, run.scored_on, run.steps_per_epoch) == (9, 9, 5)
    assert len(run.scores) == 3 and run.score == max(run.scores)
    assert run.scores[run.best_epoch - 1] == run.score
    assert 0 < run.score <= 100
    # Two mixes of three layers, each with gamma, and a projection from 128 to 4 tags.
    assert run.parameters == 2 * (3 + 1) + 128 * 4 + 4
    assert [len(mix.weights) for mix in run.mixes] == [3, 3]
    assert (run.model, run.locations) == ("simple_tagger", ["input", "input"])
    assert not run.resumed
    weights = (BILM / "weights.hdf5").read_bytes()
    assert run.bilm_weights == [hashlib.sha256(weights).hexdigest()]


def test_records_of_earlier_versions_lack_the_checksum_of_the_weights(
    config: Configuration, tmp_path: Path
) -> None:
    runs = Runs(tmp_path / "runs")
    run = finish(runs, config)
    (file,) = (tmp_path / "runs").glob("*.json")
    record = json.loads(file.read_text())
    del record["bilm_weights"]
    file.write_text(json.dumps(record))
    assert runs.find(config) == replace(run, bilm_weights=[])


def test_trained_mixes_reads_run_files(config: Configuration, tmp_path: Path) -> None:
    run = finish(Runs(tmp_path / "runs"), config)
    (file,) = (tmp_path / "runs").glob("*.json")
    found = trained_mixes(str(file))
    assert [one.mix for one in found] == run.mixes
    assert {(one.name, one.model) for one in found} == {("tagger", "simple_tagger")}
    for part in ("-1-", "-search0-"):  # a seed, or the setting of a search
        other = file.rename(file.with_name(f"tagger{part}{run.fingerprint[:12]}.json"))
        assert trained_mixes(str(other)) == found
        file = other


def test_finished_trainings_are_not_repeated(config: Configuration, tmp_path: Path) -> None:
    runs = Runs(tmp_path / "runs")
    assert runs.find(config) is None
    first = finish(runs, config)
    (file,) = (tmp_path / "runs").glob("*.json")
    written = file.stat().st_mtime_ns
    assert finish(runs, config, "other name") == runs.find(config) == first
    assert file.stat().st_mtime_ns == written
    runs.finish_all({f"seed{s}": with_seed(config, s) for s in (1, 2)})
    assert len(list((tmp_path / "runs").glob("*.json"))) == 3


@TrainerCallback.register("record_start")
class RecordStart(TrainerCallback):
    """Record the learning rate of each training run that starts, then call functions."""

    rates: ClassVar[list[float]] = []
    then: ClassVar[list[Callable[[], None]]] = []

    def on_start(self, trainer: Any, is_primary: bool = True, **kwargs: Any) -> None:
        self.rates.append(trainer.optimizer.param_groups[0]["lr"])
        for function in self.then:
            function()


def _with_rate(config: Configuration, rate: float) -> Configuration:
    optimizer = {"type": "adam", "lr": rate}
    return {
        **config,
        "trainer": {**config["trainer"], "optimizer": optimizer, "callbacks": ["record_start"]},
    }


@pytest.fixture
def record() -> Iterator[type[RecordStart]]:
    yield RecordStart
    RecordStart.rates.clear()
    RecordStart.then.clear()


@contextmanager
def _another_process(runs: Path, config: Configuration) -> Iterator[Event]:
    """Hold the lock of a training run until the event is set."""
    locked, end = Event(), Event()

    def hold() -> None:
        with FileLock(runs / f"{fingerprint(config)[:12]}.lock"):
            locked.set()
            end.wait(60)

    thread = Thread(target=hold)
    thread.start()
    assert locked.wait(60)
    try:
        yield end
    finally:
        end.set()
        thread.join()


def test_training_of_another_process_comes_last(
    config: Configuration, tmp_path: Path, record: type[RecordStart]
) -> None:
    configs = {f"rate{rate}": _with_rate(config, rate) for rate in (0.01, 0.02, 0.03)}
    with _another_process(tmp_path, configs["rate0.01"]) as end:
        # The process is killed while the third training runs.
        record.then.append(lambda: end.set() if record.rates[-1] == 0.03 else None)
        runs = Runs(tmp_path).finish_all(configs)
    assert record.rates == [0.02, 0.03, 0.01]
    assert list(runs) == list(configs)
    assert len({run.fingerprint for run in runs.values()}) == 3


def test_training_of_another_process_is_waited_for(
    config: Configuration, tmp_path: Path, record: type[RecordStart]
) -> None:
    config = _with_rate(config, 0.01)
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    expected = finish(Runs(elsewhere), config)
    here.mkdir()
    with _another_process(here, config) as end:

        def finish_there() -> None:
            (file,) = elsewhere.glob("*.json")
            shutil.copy(file, here)
            end.set()

        timer = Timer(0.5, finish_there)
        timer.start()
        assert finish(Runs(here), config) == expected
        timer.join()
    assert len(record.rates) == 1


def test_runs_are_scored_and_trained_again_without_score_and_archive(
    config: Configuration, tmp_path: Path, record: type[RecordStart]
) -> None:
    config = {**_with_rate(config, 0.01), "test_data_path": config["train_data_path"]}
    runs = Runs(tmp_path / "runs")
    finish(runs, config, "search0")
    (archive,) = (tmp_path / "runs").glob("*.tar.gz")
    archive.unlink()
    runs.finish_all({"seed1": config})  # without a score, none is missing
    assert len(record.rates) == 1

    scored = runs.finish_all({"seed1": config}, score=True)["seed1"]
    assert len(record.rates) == 2
    files = {path.name for path in (tmp_path / "runs").glob("*.*") if path.suffix != ".lock"}
    stem = archive.name.removesuffix(".tar.gz")
    assert files == {f"{stem}.json", f"{stem}.tar.gz", f"{stem}.test.json"}
    score = tmp_path / "runs" / f"{stem}.test.json"
    assert json.loads(score.read_text())["fingerprint"] == scored.fingerprint

    archive.unlink()
    runs.finish_all({"seed1": config}, score=True)
    assert len(record.rates) == 2


def test_merged_directories_may_have_a_training_twice(
    config: Configuration, tmp_path: Path, record: type[RecordStart]
) -> None:
    config = {**_with_rate(config, 0.01), "test_data_path": config["train_data_path"]}
    runs = Runs(tmp_path / "runs")
    runs.finish_all({"seed1": config}, score=True)
    (score,) = (tmp_path / "runs").glob("*.test.json")
    trained = score.with_name(score.name.replace(".test", ""))
    for name in ("a", "z"):  # before and after it
        shutil.copy(trained, trained.with_name(trained.name.replace("seed1", name)))
    runs.finish_all({"seed1": config}, score=True)
    assert len(record.rates) == 1 and score.exists()
    trained.with_name(trained.name.replace(".json", ".tar.gz")).unlink()
    runs.finish_all({"other": config}, score=True)
    assert len(record.rates) == 1 and score.exists()


def test_interrupted_training_is_resumed(
    config: Configuration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = finish(Runs(tmp_path / "whole"), config)
    runs = Runs(tmp_path / "runs")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(InterruptSecondEpoch, "active", True)
        finish(runs, config)
    # The size of a cache and the place of the data do not change the outcome.
    data = tmp_path / "moved.txt"
    shutil.move(config["train_data_path"], data)
    config["train_data_path"] = config["validation_data_path"] = str(data)
    embedders = config["model"]["text_field_embedder"]["token_embedders"]
    embedders["elmo"] = {**embedders["elmo"], "cache_gigabytes": 1}
    run = finish(runs, config, "another name")
    assert run.resumed
    assert run.scores == pytest.approx(whole.scores)


def test_archive_that_was_scored_is_kept(config: Configuration, tmp_path: Path) -> None:
    """Another search, with the same directory, may not choose it."""
    config = {**config, "test_data_path": config["train_data_path"]}
    runs = Runs(tmp_path / "runs")
    for score in (True, False):
        runs.finish_all({"tagger": config}, score)
        runs.discard_archive(config)
        assert any((tmp_path / "runs").glob("*.tar.gz")) == score
        for file in (tmp_path / "runs").glob("tagger*"):
            file.unlink()


def test_archive_is_kept_until_it_is_scored(config: Configuration, tmp_path: Path) -> None:
    """The search of another process ends between the training and its score."""

    class Searched(Runs):
        def evaluate(self, config: Configuration, wait: bool = True) -> Evaluation | None:
            Runs(tmp_path).discard_archive(config)
            return super().evaluate(config, wait)

    config = {**config, "test_data_path": config["train_data_path"]}
    Searched(tmp_path).finish_all({"tagger": config}, score=True)
    assert any(tmp_path.glob("*.test.json"))


def test_run_that_does_not_exist_has_no_archive_to_remove(
    config: Configuration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "None.tar.gz").touch()
    Runs(tmp_path / "runs").discard_archive(config)
    assert (tmp_path / "None.tar.gz").exists()
    assert not (tmp_path / "runs").exists()


def test_run_in_use_is_left_alone(config: Configuration, tmp_path: Path) -> None:
    config = {**config, "test_data_path": config["train_data_path"]}
    runs = Runs(tmp_path)
    finish(runs, config)
    with _another_process(tmp_path, config):  # which scores
        runs.discard_archive(config)
        assert any(tmp_path.glob("*.tar.gz"))
        assert runs.finish_all({"tagger": config}, score=True, wait=False) == {}
    assert len(runs.finish_all({"tagger": config}, score=True, wait=False)) == 1


def test_other_test_data_do_not_replace_what_cannot_be_scored_again(
    config: Configuration, tmp_path: Path
) -> None:
    config = {**config, "test_data_path": config["train_data_path"]}
    other = tmp_path / "other.txt"
    other.write_text("".join(Path(config["train_data_path"]).read_text().splitlines(True)[1:]))
    directory = tmp_path / "runs"
    runs = Runs(directory)
    runs.finish_all({"tagger": config}, score=True)
    (archive,) = directory.glob("*.tar.gz")
    archive.unlink()
    files = {path: path.read_bytes() for path in directory.iterdir()}
    with pytest.raises(ConfigurationError, match=rf"test\.json: expected a score on {other}"):
        runs.finish_all({"tagger": {**config, "test_data_path": str(other)}}, score=True)
    assert {path: path.read_bytes() for path in directory.iterdir()} == files


@pytest.mark.parametrize("interrupted", ["shutil.copyfile", "write_record"])
def test_repeated_training_that_was_not_stored_is_stored(
    interrupted: str, config: Configuration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the record of the earlier training, whose archive and score were lost."""
    config = {**config, "test_data_path": config["train_data_path"]}
    directory = tmp_path / "runs"
    runs = Runs(directory)
    finish(runs, config)
    (archive,) = directory.glob("*.tar.gz")
    archive.unlink()

    def interrupt(_: object, target: Path) -> None:
        if interrupted == "shutil.copyfile":
            Path(target).write_bytes(b"the first bytes of an archive")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(f"elmo_plugin.experiments.runner.runs.{interrupted}", interrupt)
        runs.finish_all({"tagger": config}, score=True)
    (record,) = directory.glob("*.json")
    record.write_text(json.dumps({**json.loads(record.read_text()), "machine": "an earlier one"}))

    run = runs.finish_all({"tagger": config}, score=True)["tagger"]
    assert run.machine != "an earlier one"
    evaluation = runs.evaluate(config)
    assert evaluation is not None and evaluation.instances == 9
    names = {path.name.split(".", 1)[1] for path in directory.iterdir()}
    assert names == {"json", "tar.gz", "test.json", "lock"}


def test_training_is_finished_though_its_folder_was_not_removed(
    config: Configuration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, rmtree = tmp_path / "runs", shutil.rmtree

    def interrupt(folder: Path, **options: Any) -> None:
        if Path(folder).is_dir() and Path(folder).parent == directory:
            (Path(folder) / "config.json").unlink()
            raise KeyboardInterrupt
        rmtree(folder, **options)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("elmo_plugin.experiments.runner.runs.shutil.rmtree", interrupt)
        finish(Runs(directory), config)
    (record,) = directory.glob("*.json")
    written = record.stat().st_mtime_ns
    run = finish(Runs(directory), config)
    assert len(run.scores) == 3 and record.stat().st_mtime_ns == written


def test_run_names_every_version_that_trained(
    config: Configuration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs(tmp_path / "runs")
    code_version = "elmo_plugin.experiments.runner.code_versions.code_version"
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(InterruptSecondEpoch, "active", True)
        patch.setattr(code_version, lambda: "commit abc-dirty")
        finish(runs, config)
    monkeypatch.setattr(code_version, lambda: "commit def")
    run = finish(runs, config)
    assert run.commit == "commit abc-dirty, commit def"
    with pytest.raises(ValueError, match="found commit abc-dirty;"):
        check_trained_by_committed(Outcome([run], []).commits)
    other = finish(runs, with_seed(config, 1))
    assert other.commit == "commit def"


def test_training_that_diverges_is_named(config: Configuration, tmp_path: Path) -> None:
    config["trainer"]["optimizer"] = {"type": "sgd", "lr": 1e38}
    with pytest.raises(ConfigurationError, match=r"runs/tagger-\w{12}: nan loss"):
        finish(Runs(tmp_path / "runs"), config)


def test_fingerprint_depends_on_data_and_not_on_paths(
    config: Configuration, tmp_path: Path
) -> None:
    before = fingerprint(config)
    moved = tmp_path / "elsewhere"
    Path(config["train_data_path"]).parent.rename(moved)
    text = json.dumps(config).replace(str(tmp_path / "data"), str(moved))
    assert fingerprint(json.loads(text)) == before
    (moved / "tagged.txt").write_text("Ann###P\n")
    assert fingerprint(json.loads(text)) != before


def test_fingerprint_depends_on_data_in_the_working_directory(
    config: Configuration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths without a slash count as data, and values of other settings do not."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(config["train_data_path"], "train.txt")
    config["train_data_path"] = "train.txt"
    before = fingerprint(config)
    Path("adam").write_text("no optimizer")
    assert fingerprint(config) == before
    Path("train.txt").write_text("Ann###P\n")
    assert fingerprint(config) != before


def test_fingerprint_depends_on_every_setting(config: Configuration) -> None:
    other_rate = {**config, "trainer": {**config["trainer"], "num_epochs": 4}}
    variants = [config, with_seed(config, 1), with_fraction(config, 0.5, 1), other_rate]
    assert len({fingerprint(variant) for variant in variants}) == len(variants)


def test_fingerprint_does_not_depend_on_checkpoints(config: Configuration) -> None:
    expected = fingerprint(config)
    for checkpointer in ({"type": "atomic"}, {"keep_most_recent_by_count": 3}):
        trainer = {**config["trainer"], "checkpointer": checkpointer}
        assert fingerprint({**config, "trainer": trainer}) == expected


def test_fingerprint_does_not_depend_on_the_size_of_a_cache() -> None:
    def with_embedder(**settings: object) -> Configuration:
        return {"model": {"embedder": {"type": "elmo", **settings}}, "trainer": {}}

    small, large = (fingerprint(with_embedder(cache_gigabytes=size)) for size in (1, 8))
    assert small == large == fingerprint(with_embedder())
    assert small != fingerprint(with_embedder(dropout=0.1))


def test_invalid_run_files_are_named(config: Configuration, tmp_path: Path) -> None:
    runs = Runs(tmp_path / "runs")
    finish(runs, config)
    (file,) = (tmp_path / "runs").glob("*.json")
    content = json.loads(file.read_text())
    damaged = [
        *({**content, key: {}} for key in content),
        *(
            {k: v for k, v in content.items() if k != key}
            for key in content.keys() - {"bilm_weights"}
        ),
        *(
            {**content, "scores": scores}
            for scores in ([], ["x"], [math.nan], [10**400], [250.0], [-1.0])
        ),
        {**content, "locations": []},
        *({**content, "mixes": [mix]} for mix in (3, ["a", [], 1.0], ["a", [1.0], "b"])),
        {**content, "locations": [3]},
        {**content, "locations": ["input"]},
        {**content, "steps_per_epoch": True},
    ]
    for text in ("", "[]", "3", "{", "[" * 100_000, *map(json.dumps, damaged)):
        file.write_text(text)
        with pytest.raises(ConfigurationError, match=re.escape(f"{file}: expected ")):
            runs.find(config)


def test_metric_must_be_better_when_larger(config: Configuration, tmp_path: Path) -> None:
    config["trainer"]["validation_metric"] = "-loss"
    with pytest.raises(ConfigurationError, match="validation_metric: expected one metric"):
        finish(Runs(tmp_path / "runs"), config)
