"""So that AllenNLP can be imported."""

import importlib.util
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from elmo_plugin.compat.patching import patch_module, stub_modules


@patch_module("allennlp.common.plugins")
def find_this_plugin(module: Any) -> Iterator[None]:
    """AllenNLP loads plugins that it knows by name wherever they are installed, with no flag."""
    yield
    module.DEFAULT_PLUGINS += ("elmo_plugin",)


@patch_module(
    "allennlp.data.image_loader",
    "allennlp.modules.vision.grid_embedder",
    "allennlp.modules.vision.region_detector",
)
def do_without_torchvision(module: Any) -> Iterator[None]:
    """AllenNLP imports torchvision for images alone, and each torchvision fits just one torch.

    Seen by these three modules only: others, such as transformers, look for it to learn whether
    they have it.
    """
    if importlib.util.find_spec("torchvision") is not None:
        yield
        return

    def missing(name: str) -> Any:
        raise AttributeError(f"torchvision.{name} was asked for: please install torchvision")

    stub = ModuleType("torchvision")
    stub.__dict__.update(ops=stub, boxes=stub, __getattr__=missing)
    names = ("torchvision", "torchvision.ops", "torchvision.ops.boxes")
    with stub_modules(**dict.fromkeys(names, stub)):
        yield


@patch_module("allennlp.common.file_utils")
def import_google_quietly(module: Any) -> Iterator[None]:
    """Imported to read gs:// paths, Google's client warns of Pythons that it is about to drop."""
    warnings.filterwarnings("ignore", "You are using a .*Python version", FutureWarning, "google")
    yield


@patch_module("allennlp_models.rc.tools.narrativeqa")
def import_without_downloading(module: Any) -> Iterator[None]:
    """The module downloads NLTK data when imported, though only NarrativeQA's scores need it.

    Without the data, those scores fail with NLTK's own account of how to get it. The module also
    imports py-rouge, which asks setuptools, for a part of it that newer ones lack, where its files
    are.
    """
    import nltk

    pkg_resources = ModuleType("pkg_resources")
    pkg_resources.resource_filename = _beside  # type: ignore[attr-defined]
    download, nltk.download = nltk.download, lambda *args, **kwargs: False
    try:
        with stub_modules(pkg_resources=pkg_resources):
            yield
    finally:
        nltk.download = download


def _beside(module_name: str, file_name: str) -> str:
    return str(Path(str(sys.modules[module_name].__file__)).with_name(file_name))
