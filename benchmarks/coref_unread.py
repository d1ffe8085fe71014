"""How much does ELMo gain on the documents that the biLM has not read?

The text of the built-in biLM has parts of two of LitBank's ten test novels, see data.libsonnet.
This scores the runs of `elmo tasks coref` from their counts per document: on all documents,
and without those that are named.

    python benchmarks/coref_unread.py 74_the_adventures_of_tom_sawyer_brat \\
        932_the_fall_of_the_house_of_usher_brat --overrides "import 'benchmarks/data.libsonnet'" \\
        --task-overrides benchmarks/two_cores.libsonnet --runs results/runs \\
        --out results/coref_unread
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import numpy

from elmo_plugin.commands.comparison_arguments import add_settings_arguments, settings
from elmo_plugin.commands.outputs import check_out
from elmo_plugin.experiments.runner.outcomes import (
    DIFFERENCE_COLUMNS,
    STATISTICS,
    Outcome,
    format_difference,
)
from elmo_plugin.experiments.statistics.scores import score
from elmo_plugin.experiments.statistics.significance import compare
from elmo_plugin.experiments.table1_tasks import comparison
from elmo_plugin.reporting.outputs import Result, write_result
from elmo_plugin.reporting.provenance import TRAINED_BY
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

DOCUMENT = re.compile(r"#begin document \((.+)\); part \d+")
COLUMNS = ("documents", "number", "baseline", "with ELMo", *DIFFERENCE_COLUMNS)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("read", nargs="+", metavar="DOCUMENT", help="to leave out")
    add_settings_arguments(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    trained = comparison("coref", settings(arguments))
    outcomes = trained.find()
    if not outcomes:
        raise SystemExit(
            f"--runs {arguments.runs}: expected all training runs of `elmo tasks coref`"
        )
    file = trained.configuration("baseline", trained.protocol.seeds[0])["test_data_path"]
    names = documents(Path(file))
    if unknown := set(arguments.read) - set(names):
        raise SystemExit(f"{file}: expected {', '.join(sorted(unknown))}, found {', '.join(names)}")
    unread = [number for number, name in enumerate(names) if name not in arguments.read]
    pair = (outcomes["baseline"], outcomes["elmo"])
    rows = [row("all", range(len(names)), *pair), row("not read", unread, *pair)]
    metadata = {
        "Data": file,
        "Read": ", ".join(arguments.read),
        "Scores": f"average F1, seeds {list(trained.protocol.seeds)}",
        "Statistics": STATISTICS,
    }
    metadata[TRAINED_BY] = ", ".join(sorted(pair[0].commits | pair[1].commits))
    title = "Coreference in documents that the biLM has not read"
    write_result(arguments.out, Result(Table(title, COLUMNS, rows, metadata)))


def documents(file: Path) -> list[str]:
    """Return the names of the documents of a CoNLL-2012 file."""
    return DOCUMENT.findall(file.read_text(encoding="utf-8"))


def row(name: str, numbers: Sequence[int], baseline: Outcome, elmo: Outcome) -> list[Cell]:
    """Return the scores of some documents, given by number."""
    before, after = (counts_of(outcome, numbers) for outcome in (baseline, elmo))
    scores = (SeedStats(tuple(score(counts.sum(1)))) for counts in (before, after))
    difference = format_difference(compare(before, after), len(before))
    return [name, len(numbers), *scores, *difference]


def counts_of(outcome: Outcome, numbers: Sequence[int]) -> numpy.ndarray:
    """Return the counts of some documents. Shape (seeds, documents, columns)."""
    assert outcome.counts is not None
    return outcome.counts[:, list(numbers)]


if __name__ == "__main__":
    main()
