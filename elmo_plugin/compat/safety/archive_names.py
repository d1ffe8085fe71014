"""Restricts the class names in an archive's configuration.

AllenNLP takes `"type": "os.system"` in a configuration as a class to import, and calls it with the
parameters beside it. This is how a training run finds its own code, but an archive comes from
others.
"""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from typing import Any, Optional

from elmo_plugin.compat.patching import patch_module
from elmo_plugin.compat.safety.working_directory import in_working_directory

TRUSTED_PACKAGES = ("allennlp", "allennlp_models", "elmo_plugin")

_archive: ContextVar[Optional[str]] = ContextVar("archive", default=None)


@contextmanager
def names_of_archive(archive: object) -> Iterator[None]:
    """Treat the configurations that the block builds objects from as an archive's."""
    token = _archive.set(str(archive))
    try:
        yield
    finally:
        _archive.reset(token)


def current_archive() -> Optional[str]:
    """Return the archive whose configuration objects are built from, or None."""
    return _archive.get()


@patch_module("allennlp.common.registrable")
def resolve_known_classes_only(module: Any) -> Iterator[None]:
    """An archive may name registered classes. By their paths it may name classes that are imported
    already, or belong to AllenNLP or this plugin, and are subclasses of the expected class."""
    yield
    registry = module.Registrable._registry
    original = module.Registrable.resolve_class_name.__func__

    @wraps(original)
    def resolve_class_name(cls: type, name: str) -> tuple[Any, Optional[str]]:
        if name in registry[cls] or "." not in name:
            return original(cls, name)
        archive = _archive.get()
        if archive is not None:
            return _known_class(cls, name, archive), None
        with in_working_directory(name):
            return original(cls, name)

    module.Registrable.resolve_class_name = classmethod(resolve_class_name)


def _known_class(base: type, name: str, archive: str) -> type:
    from allennlp.common.checks import ConfigurationError

    module_name, _, class_name = name.rpartition(".")
    if module_name.partition(".")[0] in TRUSTED_PACKAGES:
        with suppress(ModuleNotFoundError):
            import_module(module_name)
    # Not by getattr, on which some modules import others.
    found = getattr(sys.modules.get(module_name), "__dict__", {}).get(class_name)
    if isinstance(found, type) and issubclass(found, base):
        return found
    raise ConfigurationError(
        f"{archive}: expected a registered {base.__name__} or the class of one, found {name!r}. "
        "An archive imports no code; if you have the package that it was trained with, import it: "
        f"--include-package {module_name}"
    )


@patch_module(
    "allennlp.commands.evaluate",
    "allennlp_models.lm.modules.token_embedders.language_model",
)
def restrict_names_after_loading(module: Any) -> Iterator[None]:
    """These build objects from an archive's configuration after they have loaded the archive."""
    yield
    if hasattr(module, "evaluate_from_archive"):
        module.evaluate_from_archive = _with_names_of_archive(module.evaluate_from_archive)
    else:
        embedder = module.LanguageModelTokenEmbedder
        embedder.__init__ = _with_names_of_archive(embedder.__init__)


def _with_names_of_archive(function: Callable[..., Any]) -> Callable[..., Any]:
    """Call a function within `names_of_archive` of its argument `archive_file`."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with names_of_archive(signature.bind(*args, **kwargs).arguments["archive_file"]):
            return function(*args, **kwargs)

    return call
