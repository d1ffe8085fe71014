"""Names of tasks, scores and layers as people write them."""

from __future__ import annotations

_TASKS = {
    "squad": "SQuAD",
    "snli": "SNLI",
    "srl": "SRL",
    "coref": "Coref",
    "ner": "NER",
    "sst5": "SST-5",
}
_PLACEMENTS = {"elmo": "input", "elmo_output": "output", "elmo_both": "both"}
_METRICS = {
    "f1-measure-overall": "F1",
    "f1": "F1",
    "em": "EM",
    "coref_f1": "average F1",
}


def task_title(name: str) -> str:
    """Return the name of a task by that of its directory; any other name unchanged."""
    return _TASKS.get(name, name)


def placement_title(config: str) -> str:
    """Return where a task's configuration includes ELMo; any other name unchanged."""
    return _PLACEMENTS.get(config, config)


def metric_title(metric: str) -> str:
    """Return the name of a score by its key in AllenNLP's metrics; any other key unchanged."""
    return _METRICS.get(metric, metric)


def layer_title(representation: str, layer: str) -> str:
    """Return the name of a layer of a representation; `layer` is "" if it has only one."""
    if not layer:
        return representation
    return f"{representation}, {'average' if layer == 'average' else f'layer {layer}'}"
