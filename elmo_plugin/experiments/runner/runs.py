"""Trains task models, each configuration once."""

from __future__ import annotations

import gc
import re
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Union

from allennlp.common.checks import ConfigurationError
from filelock import FileLock, Timeout

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.content_hash import content_hash
from elmo_plugin.experiments.runner.evaluations import evaluate_archive
from elmo_plugin.experiments.runner.fingerprints import fingerprint
from elmo_plugin.experiments.runner.run_checks import check_record, find_evaluation
from elmo_plugin.experiments.runner.run_files import Evaluation, Run, read_run, write_record
from elmo_plugin.experiments.runner.run_names import (
    ARCHIVE,
    DIGITS,
    EVALUATION,
    RUN,
    finished_stems,
)
from elmo_plugin.experiments.runner.training import train


class Runs:
    """
    Trains configurations that are not finished, and keeps the outcomes.

    # Parameters

    directory : `Path`
        Holds a JSON file and the archive of each finished training run, a second JSON file with its
        score on test data, and a directory for each unfinished training run. Several processes can
        share it; each training run is locked.
    """

    def __init__(self, directory: Union[str, Path]) -> None:
        self._directory = Path(directory)
        self._locks: dict[str, FileLock] = {}  # each may be acquired again by its holder

    def find(self, config: Configuration) -> Run | None:
        """Return the finished run, or `None`; raise `ConfigurationError` for another one's."""
        stem = self._stem(config)
        if stem is None:
            return None
        file = Path(f"{stem}{RUN}")
        run = read_run(file)
        check_record(file, run, config)
        return run

    def evaluate(self, config: Configuration, wait: bool = True) -> Evaluation | None:
        """
        Score a finished run on the test data of its configuration, once: later calls return what
        the first has stored. Return `None` for a configuration without test data. Without `wait`,
        raise `Timeout` if another process scores.
        """
        stem, data = self._stem(config), config.get("test_data_path")
        if stem is None or data is None:
            return None
        data_hash = content_hash(data)
        file = Path(f"{stem}{EVALUATION}")
        found = find_evaluation(file, config, data_hash)
        if found is None:
            with self._lock(fingerprint(config)).acquire(blocking=wait):
                found = find_evaluation(file, config, data_hash)
                found = found or _evaluate(stem, config, data_hash)
        return found

    def discard_archive(self, config: Configuration) -> None:
        """Delete the archive of a run, unless the run was scored on test data or is in use."""
        stem = self._stem(config)
        if stem is None:
            return
        with suppress(Timeout), self._lock(fingerprint(config)).acquire(blocking=False):
            if not Path(f"{stem}{EVALUATION}").exists():
                Path(f"{stem}{ARCHIVE}").unlink(missing_ok=True)

    def finish_all(
        self, trainings: Mapping[str, Configuration], score: bool = False, wait: bool = True
    ) -> dict[str, Run]:
        """
        Return finished runs, and train the others; resume interrupted training runs. Report
        progress on standard error.

        # Parameters

        trainings : `Mapping[str, Dict[str, Any]]`
            Evaluated configurations, as AllenNLP's `train_model` takes them, by name. Names become
            prefixes of file names.
        score : `bool`, optional (default = `False`)
            Score each run on the test data of its configuration as soon as it is finished. If it
            was not scored and its archive is gone, train again.
        wait : `bool`, optional (default = `True`)
            Wait for trainings that another process is running, after all others; if not, leave them
            out.
        """
        runs: dict[str, Run] = {}
        for blocking in (False, True) if wait else (False,):
            for name in [name for name in trainings if name not in runs]:
                run = self._finish(name, trainings[name], blocking, score)
                if run is not None:
                    runs[name] = run
                    progress = f"{len(runs)} of {len(trainings)}: {name}"
                    print(f"{progress}, {run.metric} {run.score:.2f}", file=sys.stderr)
        return {name: runs[name] for name in trainings if name in runs}

    def _finish(self, name: str, config: Configuration, wait: bool, score: bool) -> Run | None:
        """Return the finished run, or train; without `wait`, `None` if another process does."""
        key = fingerprint(config)
        self._directory.mkdir(parents=True, exist_ok=True)
        try:
            if not self.is_finished(config, score):
                with self._lock(key).acquire(blocking=wait):
                    if not self.is_finished(config, score):
                        self._train(config, key, self._folder(name, key))
                    if score:  # before the search of another process discards the archive
                        self.evaluate(config, wait)
            elif score:
                self.evaluate(config, wait)
        except Timeout:
            return None
        return self.find(config)

    def is_finished(self, config: Configuration, score: bool) -> bool:
        """
        Return True if there is a run that is not being trained again and, to `score` it, its score
        or its archive.

        # Raises

        `ConfigurationError` : a score on other test data, and no archive for one on these.
        """
        stem, data = self._stem(config), config.get("test_data_path")
        if stem is None or Path(stem).is_dir():
            return False
        if not score or data is None or Path(f"{stem}{ARCHIVE}").exists():
            return True
        file = Path(f"{stem}{EVALUATION}")
        if find_evaluation(file, config, content_hash(data)) is not None:
            return True
        if file.exists():
            raise ConfigurationError(
                f"{file}: expected a score on {data}, found one on other test data and no archive; "
                "give another directory (--runs), or remove the file to train again"
            )
        return False

    def _lock(self, key: str) -> FileLock:
        file = self._directory / f"{key[:DIGITS]}.lock"
        return self._locks.setdefault(key, FileLock(file))

    def _train(self, config: Configuration, key: str, folder: Path) -> Run:
        """Train, and store the run and its archive."""
        # Training does not see the test data.
        run = train({**config, "test_data_path": None}, key, folder)
        # A copy, so that a training run that is interrupted here can be resumed.
        with atomic_write(f"{folder}{ARCHIVE}") as file:
            shutil.copyfile(folder / "model.tar.gz", file)
        # The scores of an earlier training run, whose record was removed.
        Path(f"{folder}{EVALUATION}").unlink(missing_ok=True)
        write_record(run, Path(f"{folder}{RUN}"))
        # Renamed, since a part of a directory would look like a training run that has begun again.
        removed = folder.with_name(f".{folder.name}.removed")
        shutil.rmtree(removed, ignore_errors=True)
        shutil.rmtree(folder.rename(removed))
        Path(f"{folder}.commits").unlink(missing_ok=True)
        gc.collect()  # the trainer and its model refer to each other, and ELMo's cache is large
        return run

    def _folder(self, name: str, key: str) -> Path:
        """
        Return the serialization directory of a training run, which may have begun or ended under
        another name.
        """
        begun = [path for path in self._directory.glob(f"*-{key[:DIGITS]}") if path.is_dir()]
        ended = [Path(stem) for stem in finished_stems(self._directory, key)]
        readable = re.sub("[^a-zA-Z0-9_.]+", "-", name)
        return [*begun, *ended, self._directory / f"{readable}-{key[:DIGITS]}"][0]

    def _stem(self, config: Configuration) -> str | None:
        """Return the path of a finished run's files without their suffix."""
        return next(iter(finished_stems(self._directory, fingerprint(config))), None)


def _evaluate(stem: str, config: Configuration, data_hash: str) -> Evaluation:
    archive = Path(f"{stem}{ARCHIVE}")
    evaluation = evaluate_archive(archive, config, fingerprint(config), data_hash)
    write_record(evaluation, Path(f"{stem}{EVALUATION}"))
    return evaluation
