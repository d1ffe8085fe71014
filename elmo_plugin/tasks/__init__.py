"""Models, dataset readers and predictors for the paper's six tasks, beyond those of
allennlp-models.

If allennlp-models is not installed, this package has no modules, and the rest of the plugin works.
"""

import importlib.util

if importlib.util.find_spec("allennlp_models") is None:
    __path__ = []
