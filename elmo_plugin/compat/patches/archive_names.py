"""So that an archive runs no code of its own, whatever its configuration names.

In a configuration, AllenNLP takes `"type": "os.system"` for a class to import and calls it with the
parameters beside it. That is how a training finds its own code; an archive is what others trained.
"""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from typing import Any, Optional

from elmo_plugin.compat.patches.working_directory import in_working_directory
from elmo_plugin.compat.patching import patch_module

TRUSTED_PACKAGES = ("allennlp", "allennlp_models", "elmo_plugin")

_archive: ContextVar[Optional[str]] = ContextVar("archive", default=None)


@contextmanager
def names_of_archive(archive: object) -> Iterator[None]:
    """Marks the configurations that the block builds from as an archive's."""
    token = _archive.set(str(archive))
    try:
        yield
    finally:
        _archive.reset(token)


def current_archive() -> Optional[str]:
    """The archive whose configuration objects are built from, if any."""
    return _archive.get()


@patch_module("allennlp.common.registrable")
def resolve_known_classes_only(module: Any) -> Iterator[None]:
    """An archive may name registered classes, and by their paths those that are imported already or
    belong to AllenNLP or this plugin, if they are of the kind that is due."""
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
    # Not by getattr, for which some modules import others.
    found = getattr(sys.modules.get(module_name), "__dict__", {}).get(class_name)
    if isinstance(found, type) and issubclass(found, base):
        return found
    raise ConfigurationError(
        f"{archive}: expected a registered {base.__name__} or the class of one, found {name!r}. "
        "An archive imports no code; if you have the package that it was trained with, import it: "
        f"--include-package {module_name}"
    )


@patch_module(
    "allennlp.training.metrics.evalb_bracketing_scorer",
    "allennlp_models.structured_prediction.metrics.srl_eval_scorer",
)
def run_own_scorers_only(module: Any) -> Iterator[None]:
    """These metrics run programs, through the shell even, from where their first argument says."""
    yield
    from allennlp.common.checks import ConfigurationError

    metric = getattr(module, "EvalbBracketingScorer", None) or module.SrlEvalScorer
    original = metric.__init__
    signature = inspect.signature(original)
    location = list(signature.parameters.values())[1]

    @wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs).arguments
        found = given.get(location.name, location.default)
        if _archive.get() is not None and found != location.default:
            raise ConfigurationError(
                f"{_archive.get()}: {location.name}: expected none, or {location.default}, "
                f"found {found!r}, and an archive runs no programs of its own"
            )
        original(self, *args, **kwargs)

    metric.__init__ = __init__


@patch_module(
    "allennlp.commands.evaluate",
    "allennlp_models.lm.modules.token_embedders.language_model",
)
def remember_whose_configuration_it_is(module: Any) -> Iterator[None]:
    """These build objects from an archive's configuration after they have loaded it."""
    yield
    if hasattr(module, "evaluate_from_archive"):
        module.evaluate_from_archive = _as_that_archive(module.evaluate_from_archive)
    else:
        embedder = module.LanguageModelTokenEmbedder
        embedder.__init__ = _as_that_archive(embedder.__init__)


def _as_that_archive(function: Callable[..., Any]) -> Callable[..., Any]:
    """Has a function take the configurations that it meets for those of its `archive_file`."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with names_of_archive(signature.bind(*args, **kwargs).arguments["archive_file"]):
            return function(*args, **kwargs)

    return call
