"""One-line errors that name the file, line or key at fault, while a command of AllenNLP runs.

Programs that call AllenNLP's functions get AllenNLP's own exceptions: see `compat.command`.
"""

from elmo_plugin.compat.command_errors import (
    archives,
    arguments,
    configurations,
    constructors,
    divergence,
    indexers,
    labels,
    ontonotes,
    predictions,
    readers,
    training,
    validation_metrics,
    word_vectors,
    workers,
)
