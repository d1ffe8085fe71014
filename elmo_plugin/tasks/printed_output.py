"""The output of `elmo predict`."""

from __future__ import annotations

import json
from typing import Any

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader
from allennlp.models import Model
from allennlp.predictors import Predictor


class PrintedOutput(Predictor):
    """
    A predictor whose `dump_line` leaves out logits and other intermediate outputs, and writes
    UTF-8. `predict_json` returns all outputs of the model.

    # Parameters

    all_outputs : `bool`, optional (default = `False`)
        Write all outputs, logits too: `--predictor-args '{"all_outputs": true}'`.
    """

    printed: tuple[str, ...] = ()
    """Keys of the outputs that are written; all if empty."""
    probabilities: str | None = None
    """Key of the probabilities of classes, which are written with the classes' names."""

    def __init__(
        self,
        model: Model,
        dataset_reader: DatasetReader,
        *args: Any,
        all_outputs: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(model, dataset_reader, *args, **kwargs)
        self._all_outputs = all_outputs

    def dump_line(self, outputs: JsonDict) -> str:
        """Format a prediction as a line of JSON."""
        if not self._all_outputs:
            outputs = self._readable(outputs)
        return json.dumps(outputs, ensure_ascii=False) + "\n"

    def _readable(self, outputs: JsonDict) -> JsonDict:
        keys = self.printed or tuple(outputs)
        found = {key: outputs[key] for key in keys if key in outputs}
        if self.probabilities in outputs:
            names = self.class_names()
            found["label"] = names[outputs["label"]]
            found["probabilities"] = dict(zip(names.values(), outputs[self.probabilities]))
        return found

    def class_names(self) -> dict[str, str]:
        """Return the name of each class by its label, in the order of the probabilities."""
        labels = self._model.vocab.get_index_to_token_vocabulary("labels")
        return {label: label for _, label in sorted(labels.items())}
