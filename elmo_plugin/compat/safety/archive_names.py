"""Restricts the class names in an archive's configuration.

AllenNLP takes `"type": "os.system"` in a configuration as a class to import, and calls it with the
parameters beside it. This is how a training run finds its own code, but an archive comes from
others.
"""

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from typing import Any, Optional

from elmo_plugin.compat.configuration_error import configuration_error
from elmo_plugin.compat.patching import wrap
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


@wrap("allennlp.common.registrable", "Registrable.resolve_class_name")
def resolve_known_classes_only(original: Any, cls: Any, name: str) -> tuple[Any, Optional[str]]:
    """An archive may name registered classes. By their paths it may name classes that are imported
    already, or belong to AllenNLP or this plugin, and are subclasses of the expected class."""
    from allennlp.common.registrable import Registrable

    if name in Registrable._registry[cls] or "." not in name:
        return original(cls, name)
    archive = _archive.get()
    if archive is not None:
        return _known_class(cls, name, archive), None
    with in_working_directory(name):
        return original(cls, name)


def _known_class(base: type, name: str, archive: str) -> type:
    module_name, _, class_name = name.rpartition(".")
    if module_name.partition(".")[0] in TRUSTED_PACKAGES:
        with suppress(ModuleNotFoundError):
            import_module(module_name)
    # Not by getattr, on which some modules import others.
    found = getattr(sys.modules.get(module_name), "__dict__", {}).get(class_name)
    if isinstance(found, type) and issubclass(found, base):
        return found
    raise configuration_error(
        f"{archive}: expected a registered {base.__name__} or the class of one, found {name!r}. "
        "An archive imports no code; if you have the package that it was trained with, import it: "
        f"--include-package {module_name}"
    )


@wrap("allennlp.commands.evaluate", "evaluate_from_archive")
@wrap(
    "allennlp_models.lm.modules.token_embedders.language_model",
    "LanguageModelTokenEmbedder.__init__",
)
def restrict_names_after_loading(original: Any, *args: Any, **kwargs: Any) -> Any:
    """These build objects from an archive's configuration after they have loaded the archive."""
    arguments = inspect.signature(original).bind(*args, **kwargs).arguments
    with names_of_archive(arguments["archive_file"]):
        return original(*args, **kwargs)
