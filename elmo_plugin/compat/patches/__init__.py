"""Patches that let AllenNLP 2.10.1 run on today's libraries, and faster, each for one reason.

Where the reason does not hold, as with torchvision installed, a patch changes nothing.
"""

from elmo_plugin.compat.patches import (
    archive_compression,
    byte_order_marks,
    completed_configurations,
    configurations,
    data_loading,
    devices,
    distributed_metrics,
    imports,
    interrupts,
    learning_rate_search,
    ontonotes,
    optimization,
    overrides,
    spacy_models,
    warnings_of_training,
    weights_difference,
)
