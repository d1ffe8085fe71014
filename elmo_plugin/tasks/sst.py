"""Reads the phrases of the Stanford Sentiment Treebank."""

from collections.abc import Iterable
from typing import Any

from allennlp.data import DatasetReader, Instance
from allennlp_models.classification.dataset_readers.stanford_sentiment_tree_bank import (
    StanfordSentimentTreeBankDatasetReader,
)


@DatasetReader.register("sst_phrases")
class SstPhrasesReader(StanfordSentimentTreeBankDatasetReader):
    """
    AllenNLP's reader "sst_tokens" without short phrases. The published classifiers with CoVe and
    ELMo were trained on phrases of at least four tokens (McCann et al. 2017).

    Registered as a `DatasetReader` with name "sst_phrases".

    # Parameters

    min_tokens : `int`, optional (default = `1`)
        Tokens of the shortest phrase that is read.
    **kwargs :
        The parameters of "sst_tokens".
    """

    def __init__(self, min_tokens: int = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._min_tokens = min_tokens

    def _read(self, file_path: str) -> Iterable[Instance]:
        for instance in super()._read(file_path):
            if len(instance["tokens"]) >= self._min_tokens:
                yield instance
