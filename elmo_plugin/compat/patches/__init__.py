"""What AllenNLP 2.10.1 needs to run on today's libraries: a patch for each reason.

Where the reason does not hold, as with torchvision installed, a patch changes nothing.
"""

from elmo_plugin.compat.patches import (
    completed_configurations,
    configurations,
    data_loading,
    devices,
    imports,
    interrupts,
    optimization,
    spacy_models,
    warnings_of_training,
    weights_difference,
)

__all__ = [
    "completed_configurations",
    "configurations",
    "data_loading",
    "devices",
    "imports",
    "interrupts",
    "optimization",
    "spacy_models",
    "warnings_of_training",
    "weights_difference",
]
