"""Table 7 (appendix A.1): perplexity before and after fine-tuning a biLM on a domain's text."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.nn.util import int_to_device
from filelock import FileLock

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.common.checksums import sha256_of_text
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.experiments.intrinsic.domain_sentences import Domain, domains_of, text_of
from elmo_plugin.experiments.intrinsic.fine_tuning_configuration import (
    SOURCE,
    fine_tuning_configuration,
    portable_configuration,
    read_perplexity,
)
from elmo_plugin.experiments.intrinsic.perplexity import bilm_perplexity
from elmo_plugin.experiments.runner.bilm_origin import (
    check_or_record_origin,
    language_model_hash,
    write_origin,
)
from elmo_plugin.experiments.runner.code_versions import note_code_version, noted_code_versions
from elmo_plugin.experiments.runner.configurations import read_configuration
from elmo_plugin.experiments.tasks import task_path
from elmo_plugin.models.loading import load_language_model
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.provenance import TRAINED_BY
from elmo_plugin.reporting.published_results import published_row
from elmo_plugin.reporting.tables import Cell, Table
from elmo_plugin.weights.language_model_files import save_language_model
from elmo_plugin.weights.resolve import BUILT_IN

EXPORTED = "exported"
COLUMNS = ("text", "training part", "words", "before", "after one epoch", "paper")


class FineTuning(NamedTuple):
    """
    The settings of all domains.

    # Parameters

    overrides : `str`, optional (default = `"{}"`)
        Jsonnet that extends the tasks' configurations, such as their hidden field `paths`.
    runs : `str`, optional (default = `"runs/finetune"`)
        A directory for the training runs and, in NAME/exported, the fine-tuned biLMs. Finished
        training runs are not repeated.
    bilm : `str`, optional (default = `"built-in"`)
    cuda_device : `int`, optional (default = `-1`)
        Number of a GPU, -1 for the CPU.
    batch_size : `int`, optional (default = `64`)
        Sentences per batch when perplexity is measured.
    """

    overrides: str = "{}"
    runs: str = "runs/finetune"
    bilm: str = BUILT_IN
    cuda_device: int = -1
    batch_size: int = 64

    def files(self, domain: Domain) -> dict[str, Path]:
        """
        Return the files with training and development data of a domain's task.

        # Raises

        `ConfigurationError` : one of them is missing.
        """
        config = read_configuration(task_path(domain.task, "baseline"), self.overrides)
        keys = {"train": "train_data_path", "dev": "validation_data_path"}
        files = {part: Path(config[key]).expanduser() for part, key in keys.items()}
        for part, file in files.items():
            if not file.is_file():
                raise ConfigurationError(
                    f"{domain.task}: {keys[part]}: expected an existing file, found '{file}'"
                )
        return files

    def run_of(self, domain: Domain) -> Path:
        """Return the directory of a domain's training run."""
        return Path(self.runs, domain.name.replace(" ", "_").lower())

    def row(self, domain: Domain, parts: Mapping[str, Path]) -> list[Cell]:
        """
        Fine-tune on the training sentences and score the development sentences, see `files`. Wait
        if another process fine-tunes on them.
        """
        run = self.run_of(domain)
        run.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(run.with_suffix(".lock")):
            sentences = {part: text_of(domain.read(file)) for part, file in parts.items()}
            origin = self._check_or_record_origin(run, sentences, parts)
            texts = {part: run.with_suffix(f".{part}.txt") for part in parts}
            for part, path in texts.items():
                write_text(sentences[part], path)
            before = self._perplexity(texts["dev"])
            after = self._fine_tuned_perplexity(run, texts)
            export(run)
            write_origin(run / EXPORTED, origin)
        num_words = len(sentences["train"].split())
        values = published_row("Table 7", domain.published)
        published = " → ".join(f"{value:.1f}" for value in values)
        return [domain.name, str(parts["train"]), num_words, before, after, published]

    def _check_or_record_origin(
        self, run: Path, sentences: Mapping[str, str], parts: Mapping[str, Path]
    ) -> dict[str, str]:
        origin = {
            "configuration": sha256_of_text(json.dumps(portable_configuration(), sort_keys=True)),
            "biLM": language_model_hash(self.bilm),
            **{part: sha256_of_text(text) for part, text in sentences.items()},
        }
        sources = {"configuration": SOURCE, "biLM": self.bilm}
        check_or_record_origin(run, origin, {**sources, **{k: str(v) for k, v in parts.items()}})
        return origin

    def _perplexity(self, text: Path) -> float:
        model, words = load_language_model(self.bilm)
        device = int_to_device(self.cuda_device)
        sentences = iter_sentences(str(text))
        return bilm_perplexity(model, words, sentences, self.batch_size, device)["perplexity"]

    def _fine_tuned_perplexity(self, run: Path, texts: dict[str, Path]) -> float:
        metrics = run / "metrics.json"
        config = fine_tuning_configuration(self.bilm, **texts, cuda_device=self.cuda_device)
        if not metrics.exists():
            note_code_version(run, resumed=run.exists())
            with redirect_stdout(sys.stderr):  # the log
                train_model(Params(config), str(run), recover=run.exists())
        return read_perplexity(metrics)


def fine_tuning(tasks: Sequence[str], settings: FineTuning) -> Result:
    """
    Fine-tune a biLM for one epoch on the sentences of each domain.

    # Parameters

    tasks : `Sequence[str]`
        Tasks whose sentences are read; all if empty.
    settings : `FineTuning`

    # Returns

    `Result` : perplexity on development sentences, before and after.

    # Raises

    `ConfigurationError` : a task without sentences, or a missing file; before the first training.
    """
    domains = domains_of(tasks)
    files = [settings.files(domain) for domain in domains]
    rows = [settings.row(domain, parts) for domain, parts in zip(domains, files)]
    # Earlier training runs noted none.
    versions = {
        version
        for domain in domains
        for version in noted_code_versions(settings.run_of(domain)) or ["unknown"]
    }
    note = ", whose text includes SQuAD's training paragraphs" if settings.bilm == BUILT_IN else ""
    metadata = {
        "Perplexity": "exp of the mean loss of both directions on the development sentences, full "
        "softmax over the biLM's vocabulary; the paper's biLM, vocabulary and datasets (NER: "
        "CoNLL 2003) differ, so that only the reductions are comparable",
        "biLM": settings.bilm + note,
        "Seeds": "one",
        TRAINED_BY: ", ".join(sorted(versions)),
    }
    title = "Perplexity before and after one epoch on a domain's own sentences"
    return Result(Table(title, COLUMNS, rows, metadata, digits=1, paper="Table 7"))


def write_text(text: str, path: Path) -> None:
    """Write a text atomically."""
    with atomic_write(path) as file:
        file.write_text(text, encoding="utf-8")


def export(run: Path) -> None:
    """Write the fine-tuned biLM as ELMo files."""
    model, words = load_language_model(str(run))
    save_language_model(model.bilm, model.softmax, words, run / EXPORTED)
