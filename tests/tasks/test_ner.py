"""Labels in IOB1 and BIO2, against the spans that AllenNLP reads from them."""

import re
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data.dataset_readers.dataset_utils.span_utils import (
    bio_tags_to_spans,
    iob1_tags_to_spans,
    to_bioul,
)

from elmo_plugin.compat.command import running_command
from elmo_plugin.tasks.ner import Conll2003Bio2Reader, to_bio2

IOB1 = [
    ["O", "I-PER", "I-PER", "O"],
    ["I-PER", "B-PER", "I-PER", "I-LOC"],
    ["I-LOC", "I-PER", "I-PER", "B-PER", "O", "O", "I-ORG"],
    ["O"],
    [],
]


@pytest.mark.parametrize("labels", IOB1, ids=" ".join)
def test_the_same_spans(labels: list[str]) -> None:
    found = to_bio2(labels)
    assert sorted(bio_tags_to_spans(found)) == sorted(iob1_tags_to_spans(labels))
    assert to_bio2(found) == found
    # The last word of a name is L- or U- there.
    begun = [label.replace("U-", "B-").replace("L-", "I-") for label in to_bioul(labels, "IOB1")]
    assert found == begun


@pytest.mark.parametrize("labels", IOB1[:-1], ids=" ".join)
def test_bioul_labels(labels: list[str], tmp_path: Path) -> None:
    """From IOB1 and from BIO2, beside a column of chunks that is empty."""
    file = tmp_path / "train.txt"
    for encoded in (labels, to_bio2(labels)):
        file.write_text("".join(f"word -X- -X- {label}\n" for label in encoded))
        (instance,) = Conll2003Bio2Reader(convert_to_coding_scheme="BIOUL").read(file)
        assert instance["tags"].labels == to_bioul(labels, "IOB1")


@pytest.mark.parametrize("label", ["S-PER", "B-", "PER"])
def test_label_in_another_encoding(label: str, tmp_path: Path) -> None:
    file = tmp_path / "train.txt"
    file.write_text(f"Oslo -X- -X- B-LOC\n\nRuth -X- -X- {label}\n")
    with pytest.raises(ValueError, match=f"got {label}"):
        list(Conll2003Bio2Reader().read(file))
    with running_command(), pytest.raises(ConfigurationError) as raised:
        list(Conll2003Bio2Reader().read(file))
    assert re.search(rf"train.txt, line 3: label: expected .*got {label}", str(raised.value))


def test_line_without_four_columns(tmp_path: Path) -> None:
    file = tmp_path / "train.txt"
    # With a no-break space, at which AllenNLP splits.
    for line in ("Oslo -X- O", "10\u00a0000 CD I-NP O", "Oslo -X- -X- O B-LOC"):
        file.write_text(f"-DOCSTART- -X- O O\n\nIn IN O O\n{line}\n")
        with pytest.raises(ValueError, match=r"train\.txt, line 4: expected 4 columns"):
            list(Conll2003Bio2Reader().read(file))


def test_unused_entities_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("Oslo NNP B-NP _\nsleeps VBZ B-VP _\n")
    (instance,) = Conll2003Bio2Reader(tag_label="chunk").read(tmp_path / "train.txt")
    assert instance["tags"].labels == ["B-NP", "B-VP"]
