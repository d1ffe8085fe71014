"""What the six tasks of the paper need beyond allennlp-models.

Without allennlp-models there is nothing here to import, and the plugin works for all else.
"""

import importlib.util

if importlib.util.find_spec("allennlp_models") is None:
    __path__ = []
