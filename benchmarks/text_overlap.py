"""How much of the tasks' data has a biLM read?

Counts the sequences of seven words in the data of the six tasks, and in each document of
coreference, that are also in the biLM's training text. A word is a run of letters and digits,
regardless of case. A biLM reads sentences: a sequence that crosses the end of one, as in the
paragraphs of SQuAD, is never found.

    python benchmarks/text_overlap.py 'data/lm/train-*.txt.gz' 'data/lm/wiki/train-*.txt.gz' \\
        --overrides "import 'benchmarks/data.libsonnet'" --out results/text_overlap

Of SNLI, `benchmarks/tasks.sh snli` makes the training and the development part.
"""

import argparse
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp_models.common.ontonotes import Ontonotes

from elmo_plugin.commands import arguments
from elmo_plugin.commands.comparison_arguments import add_overrides_argument
from elmo_plugin.commands.outputs import check_out, write_table
from elmo_plugin.common.progress import progress
from elmo_plugin.common.text import iter_sentences
from elmo_plugin.data.task_sentences import DATA_SETS, task_sentences
from elmo_plugin.experiments.runner.configurations import Configuration, read_configuration
from elmo_plugin.experiments.tasks import TASKS, task_path
from elmo_plugin.reporting.outputs import Result
from elmo_plugin.reporting.tables import Table

WORDS = 7
WORD = re.compile(r"[^\W_]+")
PARTS = dict(zip(DATA_SETS, ("training", "development", "test")))

Parts = dict[tuple[str, str, str], set[str]]
"""Sequences by task, part and document."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("text", nargs="+", type=arguments.path, help="the biLM's: file or glob")
    add_overrides_argument(parser)
    arguments.add_out_argument(parser)
    options = parser.parse_args()
    check_out(options)
    import_plugins()
    parts: Parts = {}
    for task in TASKS:
        config = read_configuration(task_path(task, TASKS[task]), options.overrides)
        parts |= parts_of(task, config)
    searched = set().union(*parts.values())
    sentences = chain.from_iterable(map(iter_sentences, options.text))
    read: set[str] = set()
    for sentence in progress(sentences, "reading the text", "sentences"):
        read.update(searched.intersection(sequences(sentence)))
    rows = [
        [*key, len(found), percent(len(found & read), len(found))] for key, found in parts.items()
    ]
    columns = ("task", "part", "document", "sequences", "in the biLM's text (%)")
    title = "Text of the tasks in the text of the biLM"
    metadata = {"Text": ", ".join(options.text), "Sequences": f"{WORDS} words, each counted once"}
    write_table(options, Result(Table(title, columns, rows, metadata)))


def parts_of(task: str, config: Configuration) -> Parts:
    """Return the sequences of a task's datasets and, for coreference, of their documents."""
    parts: Parts = {}
    for key, part in PARTS.items():
        if not config.get(key):
            continue
        whole: set[str] = set()
        parts[task, part, ""] = whole
        if task == "coref":  # its reader cuts long documents
            for sentence in Ontonotes().sentence_iterator(config[key]):
                document = parts.setdefault((task, part, sentence.document_id), set())
                found = set(sequences(sentence.words))
                document |= found
                whole |= found
        else:
            one = {k: v for k, v in config.items() if k not in DATA_SETS or k == key}
            for sentence in task_sentences(Params(one)):
                whole.update(sequences(sentence.tokens))
    return parts


def sequences(tokens: Iterable[str]) -> Iterator[str]:
    """Yield all sequences of words of a tokenized sentence."""
    words = WORD.findall(" ".join(tokens).lower())
    return (" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1))


def percent(part: int, whole: int) -> float | None:
    """Return a share in percent; `None` of nothing."""
    return 100 * part / whole if whole else None


if __name__ == "__main__":
    main()
