"""Imports of AllenNLP that fail on today's libraries, or have side effects."""

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
    """AllenNLP loads the plugins that it knows by name wherever they are installed, without a
    flag."""
    yield
    module.DEFAULT_PLUGINS += ("elmo_plugin",)


@patch_module(
    "allennlp.data.image_loader",
    "allennlp.modules.vision.grid_embedder",
    "allennlp.modules.vision.region_detector",
)
def stub_torchvision(module: Any) -> Iterator[None]:
    """AllenNLP needs torchvision for images alone, and each torchvision fits just one torch.

    Only these three modules see the stub: others, such as transformers, test whether torchvision
    is installed.
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
    """Google's client, which reads gs:// paths, warns about Pythons that it will drop."""
    warnings.filterwarnings("ignore", "You are using a .*Python version", FutureWarning, "google")
    yield


@patch_module("allennlp_models.rc.tools.narrativeqa")
def import_without_download(module: Any) -> Iterator[None]:
    """The module downloads NLTK data when it is imported, which only NarrativeQA's scores need;
    without it, those scores fail with NLTK's instructions. It also imports py-rouge, which finds
    its files through `pkg_resources`, a part of setuptools that newer ones lack.
    """
    import nltk

    pkg_resources = ModuleType("pkg_resources")
    pkg_resources.resource_filename = _resource_filename  # type: ignore[attr-defined]
    download, nltk.download = nltk.download, lambda *args, **kwargs: False
    try:
        with stub_modules(pkg_resources=pkg_resources):
            yield
    finally:
        nltk.download = download


def _resource_filename(module_name: str, file_name: str) -> str:
    return str(Path(str(sys.modules[module_name].__file__)).with_name(file_name))
