"""The commands of this package, each registered with `elmo` and with AllenNLP.

The module of a command defines

- `DESCRIPTION`, the first paragraph of its help, and `EXAMPLE`, a command line;
- `add_arguments(parser)`;
- `run(args)`, which raises `ValueError`, `OSError` or AllenNLP's `ConfigurationError` for errors of
  the user;
- optionally `needs_allennlp(args)`, for commands that can do without AllenNLP's plugins.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

EXAMPLE_PREFIX = "Example: "


class Command(NamedTuple):
    """The module of a command, and its line in `elmo --help`."""

    module_name: str
    help: str

    @property
    def module(self) -> ModuleType:
        return import_module(f"elmo_plugin.commands.{self.module_name}")

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Set the description and the example, and add the arguments."""
        parser.description = self.module.DESCRIPTION
        parser.epilog = f"{EXAMPLE_PREFIX}{self.module.EXAMPLE}"
        self.module.add_arguments(parser)


BILM_COMMANDS = {
    "perplexity": Command("perplexity", "Print a biLM's perplexity on a text."),
    "embed": Command("embed", "Write the vectors of a corpus to a file."),
    "info": Command("info", "Print what a biLM, an archive or a file of vectors holds."),
    "export": Command("export", "Write a trained biLM as ELMo weight files."),
    "import": Command("import_", "Make an AllenNLP archive from ELMo weight files."),
}
ANALYSIS_COMMANDS = {
    "tasks": Command("tasks", "Train six tasks with and without ELMo (Table 1)."),
    "layers": Command("layers", "Compare all biLM layers with the last one only (Table 2)."),
    "placement": Command(
        "placement", "Compare ELMo at the input and output of a task's encoder (Table 3)."
    ),
    "controls": Command("controls", "Compare ELMo with a random biLM and other controls."),
    "ensemble": Command("ensemble", "Combine several trained classifiers."),
    "simple-baselines": Command(
        "simple_baselines", "Score bags of words, rules and the most frequent class."
    ),
    "index": Command("index", "Store a vector of each token of a corpus, for `neighbors`."),
    "neighbors": Command(
        "neighbors", "Print the nearest neighbors of a word in context (Table 4)."
    ),
    "senses": Command("senses", "Disambiguate word senses by each layer (Table 5)."),
    "probe": Command("probe", "Train a linear classifier on each layer (Table 6)."),
    "fine-tuning": Command(
        "fine_tuning", "Measure perplexity before and after fine-tuning a biLM (Table 7)."
    ),
    "curve": Command("curve", "Measure the sample efficiency of ELMo (Figure 1)."),
    "mix": Command("mix", "Print the layer weights that task models learned (Figure 2)."),
    "report": Command("report", "Write all tables and figures as one page."),
}
COMMANDS = BILM_COMMANDS | ANALYSIS_COMMANDS
