"""How much does ELMo gain on the documents that the biLM has not read?

The text of the built-in biLM has parts of two of LitBank's ten test novels, see data.libsonnet.
This scores the runs of `elmo tasks coref` and `elmo controls coref` from their counts per document:
on all documents, and without those that are named.

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
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.experiments.controls import BASELINE, ELMO, systems
from elmo_plugin.experiments.runner.comparison import Comparison
from elmo_plugin.experiments.runner.descriptions import (
    STATISTICS,
)
from elmo_plugin.experiments.runner.outcomes import DIFFERENCE_COLUMNS, Outcome, format_difference
from elmo_plugin.experiments.statistics.scores import score
from elmo_plugin.experiments.statistics.significance import compare
from elmo_plugin.experiments.tasks import baseline_and_elmo
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.provenance import TRAINED_BY
from elmo_plugin.reporting.tables import Cell, SeedStats, Table

DOCUMENT = re.compile(r"#begin document \((.+)\); part \d+")
COLUMNS = ("documents", "number", "system", "average F1", "with ELMo", *DIFFERENCE_COLUMNS)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("read", nargs="+", metavar="DOCUMENT", help="to leave out")
    parser.add_argument(
        "--systems",
        nargs="+",
        default=[],
        metavar="NAME",
        help="of `elmo controls`, to compare with ELMo beside the baseline",
    )
    add_settings_arguments(parser)
    arguments = parser.parse_args()
    check_out(arguments)
    given = settings(arguments)
    paths = baseline_and_elmo(["coref"], given)
    trained = Comparison("coref", systems("coref", *paths, given, arguments.systems), given)
    outcomes = trained.find()
    if not outcomes:
        raise SystemExit(f"--runs {arguments.runs}: expected all training runs of these systems")
    file = trained.configuration(BASELINE, trained.protocol.seeds[0])["test_data_path"]
    names = documents(Path(file))
    if unknown := set(arguments.read) - set(names):
        raise SystemExit(f"{file}: expected {', '.join(sorted(unknown))}, found {', '.join(names)}")
    unread = [number for number, name in enumerate(names) if name not in arguments.read]
    elmo = outcomes.pop(ELMO)
    rows = [
        [documents, len(numbers), name, *cells(numbers, one, elmo)]
        for documents, numbers in (("all", range(len(names))), ("not read", unread))
        for name, one in outcomes.items()
    ]
    commits = elmo.commits.union(*(one.commits for one in outcomes.values()))
    metadata = {
        "Data": file,
        "Read": arguments.read,
        "Scores": f"average F1, seeds {', '.join(map(str, trained.protocol.seeds))}",
        "Statistics": STATISTICS,
        TRAINED_BY: ", ".join(sorted(commits)),
    }
    title = "Coreference in documents that the biLM has not read"
    write_table(arguments, Result(Table(title, COLUMNS, rows, metadata)))


def documents(file: Path) -> list[str]:
    """Return the names of the documents of a CoNLL-2012 file."""
    return DOCUMENT.findall(file.read_text(encoding="utf-8"))


def cells(numbers: Sequence[int], other: Outcome, elmo: Outcome) -> list[Cell]:
    """Return the scores of two systems on some documents, given by number, and their difference."""
    before, after = (counts_of(outcome, numbers) for outcome in (other, elmo))
    scores = (SeedStats(tuple(score(counts.sum(1)))) for counts in (before, after))
    return [*scores, *format_difference(compare(before, after), len(before))]


def counts_of(outcome: Outcome, numbers: Sequence[int]) -> numpy.ndarray:
    """Return the counts of some documents. Shape (seeds, documents, columns)."""
    assert outcome.counts is not None
    return outcome.counts[:, list(numbers)]


if __name__ == "__main__":
    main()
