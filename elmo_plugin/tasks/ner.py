"""Named entity recognition: labels in IOB1 or BIO2, and prediction from text or tokens."""

from collections.abc import Iterable
from typing import Optional

from allennlp.common.file_utils import cached_path
from allennlp.data import DatasetReader, Instance
from allennlp.data.tokenizers import Token
from allennlp.models import Model
from allennlp.predictors import Predictor, SentenceTaggerPredictor
from allennlp_models.tagging.dataset_readers.conll2003 import Conll2003DatasetReader
from allennlp_models.tagging.models.crf_tagger import CrfTagger

from elmo_plugin.data.text_or_tokens import TextOrTokensTokenizer
from elmo_plugin.tasks.printed_output import PrintedOutput

_DOCUMENT_START = "-DOCSTART-"
_NUM_COLUMNS = 4


@DatasetReader.register("conll2003_bio2")
class Conll2003Bio2Reader(Conll2003DatasetReader):
    """
    AllenNLP's `conll2003` for files in IOB1, as CoNLL 2003 was published, or BIO2. Labels are BIO2:
    an entity that begins with I- in the file begins with B-. With `convert_to_coding_scheme:
    "BIOUL"` they are BIOUL, whatever stands in the column of chunks.

    Registered as a `DatasetReader` with name "conll2003_bio2".
    """

    def _read(self, file_path: str) -> Iterable[Instance]:
        """
        Read sentences of four columns.

        # Raises

        `ValueError` : a line without four columns; names file and line.
        """
        _check_columns(file_path)
        yield from super()._read(file_path)

    def text_to_instance(
        self,
        tokens: list[Token],
        pos_tags: Optional[list[str]] = None,
        chunk_tags: Optional[list[str]] = None,
        ner_tags: Optional[list[str]] = None,
    ) -> Instance:
        """
        Return the instance of a sentence, with labels in BIO.

        # Raises

        `ValueError` : a label in another encoding.
        """
        used = {self.tag_label, *self.feature_labels}
        ner_tags = to_bio2(ner_tags) if ner_tags is not None and "ner" in used else None
        chunk_tags = chunk_tags if "chunk" in used else None
        return super().text_to_instance(tokens, pos_tags, chunk_tags, ner_tags)


def _check_columns(file_path: str) -> None:
    """AllenNLP's reader shifts or cuts lines with another number of columns."""
    with open(cached_path(file_path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            # As AllenNLP splits it, also at spaces other than the ASCII one.
            columns = line.split()
            if columns and columns[0] != _DOCUMENT_START and len(columns) != _NUM_COLUMNS:
                raise ValueError(
                    f"{file_path}, line {number}: expected {_NUM_COLUMNS} columns (word, part of "
                    f"speech, chunk, entity), found {len(columns)}: {line.strip()!r:.80}"
                )


def to_bio2(labels: list[str]) -> list[str]:
    """Convert IOB1 or BIO2 labels to BIO2."""
    return [_to_bio2(label, before) for before, label in zip(["O", *labels], labels)]


def _to_bio2(label: str, before: str) -> str:
    if label != "O" and not (label.startswith(("B-", "I-")) and label[2:]):
        raise ValueError(f"label: expected O, B-... or I-..., as in IOB1 or BIO2, got {label}")
    begins = label.startswith("I-") and label[2:] != before[2:]
    return f"B-{label[2:]}" if begins else label


@Model.register("elmo_crf_tagger")
class ElmoCrfTagger(CrfTagger):
    """
    AllenNLP's `crf_tagger`, whose default predictor also accepts lists of tokens; AllenNLP's
    tokenizes them again.

    Registered as a `Model` with name "elmo_crf_tagger".
    """

    default_predictor = "elmo_sentence_tagger"


@Predictor.register("elmo_sentence_tagger")
class ElmoTaggerPredictor(PrintedOutput, SentenceTaggerPredictor):
    """
    Predicts from `{"sentence": "Some text."}` or `{"sentence": ["Some", "tokens", "."]}`.

    Registered as a `Predictor` with name "elmo_sentence_tagger", the default of `elmo_crf_tagger`.
    """

    printed = ("words", "tags")

    def __init__(
        self,
        model: Model,
        dataset_reader: DatasetReader,
        language: str = "en_core_web_sm",
        all_outputs: bool = False,
    ) -> None:
        super().__init__(model, dataset_reader, language, all_outputs=all_outputs)
        self._tokenizer = TextOrTokensTokenizer(self._tokenizer)  # type: ignore[assignment]
