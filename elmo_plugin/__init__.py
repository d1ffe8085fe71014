"""Deep contextualized word representations (ELMo, Peters et al. 2018) for PyTorch and AllenNLP.

The public names are imported when they are first used, so that `import elmo_plugin` costs nothing;
none of them imports AllenNLP.
"""

TYPE_CHECKING = False  # Importing `typing` would take longer than all the rest.
if TYPE_CHECKING:
    from elmo_plugin.embedding.embedder import Embedder
    from elmo_plugin.embedding.open_vectors import open_vectors
    from elmo_plugin.layers import Bilm, BilmConfig, Elmo, ScalarMix, batch_to_ids
    from elmo_plugin.pretrained import load_pretrained_bilm
    from elmo_plugin.weights import load_bilm, save_bilm

__version__ = "0.3.0"

_MODULES = {
    "Bilm": "layers",
    "BilmConfig": "layers",
    "Embedder": "embedding.embedder",
    "Elmo": "layers",
    "ScalarMix": "layers",
    "batch_to_ids": "layers",
    "load_bilm": "weights",
    "load_pretrained_bilm": "pretrained",
    "open_vectors": "embedding.open_vectors",
    "save_bilm": "weights",
}

__all__ = [
    "Bilm",
    "BilmConfig",
    "Elmo",
    "Embedder",
    "ScalarMix",
    "__version__",
    "batch_to_ids",
    "load_bilm",
    "load_pretrained_bilm",
    "open_vectors",
    "save_bilm",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
