"""Runs of one configuration."""

from elmo_plugin.experiments.runner.configurations import Configuration
from elmo_plugin.experiments.runner.run_files import Run
from elmo_plugin.experiments.runner.runs import Runs


def finish(runs: Runs, config: Configuration, name: str = "tagger") -> Run:
    """Train a configuration, or return its finished run."""
    return runs.finish_all({name: config})[name]
