"""Sentences with one label per token, from CoNLL-U or from two parallel files."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, Optional

from elmo_plugin.common.text import numbered_lines

CONLLU_COLUMNS = (
    *("id", "form", "lemma", "upos", "xpos"),
    *("feats", "head", "deprel", "deps", "misc"),
)
_COLUMN_BREAK = re.compile(r"\t| {2,}")  # the conllu library's

_UNIVERSAL = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
_PENN = (
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH "
    "VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB # $ `` '' ( ) , . : "
    "-LRB- -RRB- HYPH NFP ADD AFX GW XX"  # additions of OntoNotes and of web treebanks
)
UNIVERSAL_TAGS = frozenset(_UNIVERSAL.split())
PENN_TAGS = frozenset(_PENN.split())


class LabeledSentence(NamedTuple):
    """Tokens of a sentence and a label for each."""

    tokens: list[str]
    labels: list[str]


class LabeledText(NamedTuple):
    """
    Training and test text with one label per token.

    # Parameters

    train, test : `str`
        CoNLL-U, or one tokenized sentence per line.
    column : `str`, optional (default = `"upos"`)
        Name of the column of CoNLL-U.
    label_files : `Sequence[str]`, optional
        Labels of `train` and of `test` when these are not CoNLL-U.
    """

    train: str
    test: str
    column: str = "upos"
    label_files: Optional[Sequence[str]] = None

    @property
    def label(self) -> str:
        """Return the name of the labels."""
        return self.label_files[0] if self.label_files else self.column

    def read(self) -> tuple[list[LabeledSentence], list[LabeledSentence]]:
        """Read training and test sentences."""
        if self.label_files:
            train_labels, test_labels = self.label_files
            return read_parallel(self.train, train_labels), read_parallel(self.test, test_labels)
        return read_conllu(self.train, self.column), read_conllu(self.test, self.column)


def are_parts_of_speech(labels: Iterable[str]) -> bool:
    """Return True if all labels are tags of the Penn Treebank or of Universal Dependencies."""
    found = set(labels)
    return found <= UNIVERSAL_TAGS or found <= PENN_TAGS


def read_conllu(file: str, column: str) -> list[LabeledSentence]:
    """
    Read the words of a CoNLL-U file and one column as written. Multiword tokens and empty nodes are
    skipped.

    # Raises

    `ValueError` : an unknown column, a line with another number of columns, or an invalid
    id.
    """
    import conllu
    from conllu.exceptions import ParseException
    from conllu.parser import DEFAULT_FIELD_PARSERS

    if column not in CONLLU_COLUMNS:
        expected = ", ".join(CONLLU_COLUMNS)
        raise ValueError(f"column: expected one of {expected}, got {column!r}")
    as_written = dict.fromkeys(CONLLU_COLUMNS, lambda fields, i: fields[i])
    parsers = {**as_written, "id": DEFAULT_FIELD_PARSERS["id"]}
    sentences = []
    try:
        for lines in conllu.parse_sentences(_checked_lines(file)):  # type: ignore[arg-type]
            tokens = conllu.parse_token_and_metadata(lines, CONLLU_COLUMNS, parsers)
            words = [token for token in tokens if isinstance(token["id"], int)]
            if words:
                sentence = ([word["form"] for word in words], [word[column] for word in words])
                sentences.append(LabeledSentence(*sentence))
    except ParseException as error:
        raise ValueError(f"{file}: expected CoNLL-U, found: {error}") from error
    if not sentences:
        raise ValueError(f"{file}: expected sentences in CoNLL-U, found none")
    return sentences


def _checked_lines(file: str) -> Iterator[str]:
    """Yield the lines, with all columns: conllu accepts lines that lack some."""
    for number, line in numbered_lines(file):
        fields = _COLUMN_BREAK.split(line.strip())
        is_token = line.strip() and not line.startswith("#")
        if is_token and len(fields) != len(CONLLU_COLUMNS):
            raise ValueError(
                f"{file}, line {number}: expected the {len(CONLLU_COLUMNS)} columns of CoNLL-U, "
                f"found {len(fields)}"
            )
        yield f"{line}\n"


def read_parallel(text: str, labels: str) -> list[LabeledSentence]:
    """
    Read a file with a tokenized sentence per line, and another with as many labels in each line.

    # Raises

    `ValueError` : names the first line with another number of labels than tokens.
    """
    sentences = []
    missing = (None, "")
    for (number, line), (label_number, label_line) in zip_longest(
        numbered_lines(text), numbered_lines(labels), fillvalue=missing
    ):
        sentence = LabeledSentence(line.split(), label_line.split())
        if len(sentence.tokens) != len(sentence.labels):
            raise ValueError(
                f"{labels}, line {number or label_number}: expected a label for each of the "
                f"{len(sentence.tokens)} tokens in {text}, found {len(sentence.labels)}"
            )
        if sentence.tokens:
            sentences.append(sentence)
    return sentences


def sample_sentences(
    sentences: list[LabeledSentence], number: int, seed: int
) -> list[LabeledSentence]:
    """Return a random sample in the original order, or all if there are not more."""
    if number >= len(sentences):
        return sentences
    chosen = sorted(random.Random(seed).sample(range(len(sentences)), number))
    return [sentences[i] for i in chosen]
