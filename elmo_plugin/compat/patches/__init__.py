"""What AllenNLP 2.10.1 needs on today's stack: one short patch for each reason.

Where the reason does not hold, such as with torchvision installed, a patch changes nothing.
"""

from elmo_plugin.compat.patches import (
    archive_names,
    archives,
    commands,
    configuring,
    importing,
    loading,
    reading,
    recovering,
    training,
    working_directory,
)
from elmo_plugin.compat.patching import PATCHES, patched

__all__ = [
    "PATCHES",
    "archive_names",
    "archives",
    "commands",
    "configuring",
    "importing",
    "loading",
    "patched",
    "reading",
    "recovering",
    "training",
    "working_directory",
]
