"""Table 1 (section 4): six tasks without and with ELMo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional

from allennlp.common.checks import ConfigurationError

from elmo_plugin.experiments.runner.comparison import Comparison, seed_stats
from elmo_plugin.experiments.runner.configurations import (
    Configuration,
    evaluate,
    import_of,
    iter_dicts,
)
from elmo_plugin.experiments.runner.run_files import Run
from elmo_plugin.reporting.names import task_title
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.published_results import published_row
from elmo_plugin.reporting.tables import Cell, Table

DEFAULT_SEEDS = (1, 2, 3)
LOCATIONS = {"elmo": "input", "elmo_output": "output", "elmo_both": "both"}
_NEW = ("baseline", "with ELMo", "gain", "relative error reduction (%)", "seeds")
_PUBLISHED = ("paper: baseline", "paper: with ELMo", "paper: relative error reduction (%)")
COLUMNS = ("task", "score", "trained on", "scored on", "ELMo", *_NEW, *_PUBLISHED)


class Task(NamedTuple):
    """A row of Table 1."""

    name: str
    metric: str
    elmo: str
    """Name of the configuration with ELMo, which says where it is included."""


TASKS = {
    "squad": Task(task_title("squad"), "F1", "elmo_both"),
    "snli": Task(task_title("snli"), "accuracy", "elmo_both"),
    "srl": Task(task_title("srl"), "F1", "elmo"),
    "coref": Task(task_title("coref"), "average F1", "elmo"),
    "ner": Task(task_title("ner"), "F1", "elmo"),
    "sst5": Task(task_title("sst5"), "accuracy", "elmo"),
}


class TaskSettings(NamedTuple):
    """
    The settings of all tasks.

    # Parameters

    overrides : `str`, optional (default = `"{}"`)
        Jsonnet that extends every configuration.
    task_overrides : `str`, optional
        A Jsonnet file with an object per task that extends its configurations. Its hidden fields
        `fraction` and `seeds` are the fraction of the training data and the seeds of the task.
    runs : `str`, optional (default = `"runs/experiments"`)
        The directory of `Runs`.
    """

    overrides: str = "{}"
    task_overrides: Optional[str] = None
    runs: str = "runs/experiments"

    def of_task(self, name: str, key: str, default: Any) -> Any:
        """Return the hidden field `key` of a task."""
        if self.task_overrides is None:
            return default
        task = f"std.get({import_of(self.task_overrides)}, '{name}', {{}})"
        value = evaluate(f"std.get({task}, '{key}', null)", self.task_overrides)
        return default if value is None else value

    def comparison(self, name: str) -> Comparison:
        """Return the comparison that trains a task."""
        overrides = f"({self.overrides})"
        if self.task_overrides is not None:
            overrides += f" + std.get({import_of(self.task_overrides)}, '{name}', {{}})"
        return Comparison(self.of_task(name, "seeds", DEFAULT_SEEDS), overrides, self.runs)

    def fraction(self, name: str) -> float:
        return self.of_task(name, "fraction", 1.0)


def six_tasks(names: Sequence[str], settings: TaskSettings) -> Iterator[Result]:
    """
    Train tasks without and with ELMo.

    # Parameters

    names : `Sequence[str]`
        Of `TASKS`; all if empty.
    settings : `TaskSettings`

    # Returns

    `Iterator[Result]` : after each task, the table of all tasks that are finished.

    # Raises

    `ConfigurationError` : an unknown task.
    """
    unknown = set(names) - set(TASKS)
    if unknown:
        raise ConfigurationError(
            f"TASK: expected some of {', '.join(TASKS)}, got {', '.join(sorted(unknown))}"
        )
    for name in names or TASKS:
        comparison = settings.comparison(name)
        comparison.train(name, configurations(name, comparison), settings.fraction(name))
        yield Result(finished_table(settings))


def configurations(name: str, comparison: Comparison) -> dict[str, Configuration]:
    """Return the configurations of a task without and with ELMo."""
    return {
        config: comparison.read(f"training_configs/{name}/{config}.jsonnet")
        for config in ("baseline", TASKS[name].elmo)
    }


def finished_table(settings: TaskSettings) -> Table:
    """Return the table of the tasks of which at least one seed is finished."""
    rows, bilms, every = [], {}, []
    for name, task in TASKS.items():
        comparison = settings.comparison(name)
        configs = configurations(name, comparison)
        baseline, elmo = comparison.find(configs, settings.fraction(name)).values()
        if baseline:
            rows.append(row(task, baseline, elmo))
            bilms[task.name] = bilm(configs[task.elmo])
            every += [*baseline, *elmo]
    metadata = {
        "Scores": "best epoch on development data, mean ± standard deviation over the seeds; both "
        "models use the same vectors x_k. The paper's are test scores, on other data where the "
        "task's data are not public",
        "biLM": bilms,
        "Overrides": settings.overrides,
        "Task overrides": settings.task_overrides or "none",
        "Machine": "; ".join(sorted({run.machine for run in every})),
        "Code": ", ".join(sorted({run.commit for run in every})),
    }
    title = "The six tasks without and with ELMo"
    return Table(title, COLUMNS, rows, metadata, paper="Table 1")


def bilm(config: Configuration) -> str:
    """Return the file that ELMo's weights come from."""
    files = (item["weight_file"] for item in iter_dicts(config) if "weight_file" in item)
    return next(files, "built-in")


def row(task: Task, baseline: Sequence[Run], elmo: Sequence[Run]) -> list[Cell]:
    """Return a row of the table; each sequence has one run per seed."""
    before, after = seed_stats(baseline), seed_stats(elmo)
    published_before, published_after, _ = published_row("Table 1", task.name)
    return [
        task.name,
        task.metric,
        baseline[0].trained_on,
        baseline[0].scored_on,
        LOCATIONS[task.elmo],
        before,
        after,
        after.mean - before.mean,
        relative_error_reduction(before.mean, after.mean),
        len(baseline),
        published_before,
        published_after,
        relative_error_reduction(published_before, published_after),
    ]


def relative_error_reduction(before: float, after: float) -> float:
    """Return the percentage of errors that disappear between two scores in percent."""
    return 100 * (after - before) / (100 - before)
