"""Pairs of sentences that SNLI's reader leaves out."""

import json
import logging
from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module, replace_for

logger = logging.getLogger(__name__)


@patch_module("allennlp_models.pair_classification.dataset_readers.snli")
def count_pairs_left_out(module: Any) -> Iterator[None]:
    """AllenNLP leaves out the pairs that annotators did not agree on, with the label "-". Lines of
    `predict --use-dataset-reader` are then not those of the file."""
    yield
    original = module.SnliReader._read
    left_out = 0

    def loads(line: str) -> Any:
        nonlocal left_out
        example = json.loads(line)
        if isinstance(example, dict) and example.get("gold_label") == "-":
            left_out += 1
        return example

    @wraps(original)
    def _read(self: Any, file_path: Any) -> Iterator[Any]:
        instances, number = original(self, file_path), 0
        while True:
            before = left_out
            instance = next(instances, None)
            number += left_out - before  # other files may be read between two instances
            if instance is None:
                break
            yield instance
        if number:
            logger.warning(
                "%s: left out %d pairs without a label (gold_label: '-')", file_path, number
            )

    replace_for(module, "json.loads", loads)
    module.SnliReader._read = _read
