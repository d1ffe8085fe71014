"""Loads weights and training states without running code in them, and refuses damaged files."""

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module, replace_for


@patch_module(
    "allennlp.common.file_utils",
    "allennlp.nn.initializers",
    "allennlp.nn.parallel.fairscale_fsdp_accelerator",
    "allennlp.nn.util",
    "allennlp.training.gradient_descent_trainer",
    "allennlp_models.vision.dataset_readers.flickr30k",
)
def load_weights_only(module: Any) -> Iterator[None]:
    """Until torch 2.6, `torch.load` ran the code in a file unless told otherwise."""
    yield
    replace_for(module, "torch.load", _weights_only(module.torch.load))


def _weights_only(load: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(load)
    def load_weights(*args: Any, **kwargs: Any) -> Any:
        return load(*args, **{"weights_only": True, **kwargs})

    return load_weights


@patch_module("allennlp.common.cached_transformers")
def check_override_weights(module: Any) -> Iterator[None]:
    """This module imports torch in the function that loads the weights, so it is not patched
    above: a file that loads without running code runs none when it is loaded again."""
    yield
    import torch

    original, signature = module.get, inspect.signature(module.get)

    @wraps(original)
    def get(*args: Any, **kwargs: Any) -> Any:
        from allennlp.common.file_utils import cached_path

        file = signature.bind(*args, **kwargs).arguments.get("override_weights_file")
        if file is not None:
            torch.load(cached_path(file), map_location="cpu", weights_only=True)
        return original(*args, **kwargs)

    module.get = get


@patch_module("allennlp.common.file_utils")
def cache_loadable_tensors(module: Any) -> Iterator[None]:
    """AllenNLP saves tensors with the newest pickle protocol, of which `weights_only` loads none
    but the one that torch saves with."""
    yield
    save = module.torch.save

    @wraps(save)
    def save_tensor(obj: Any, file: Any, **_: Any) -> None:
        save(obj, file)

    replace_for(module, "torch.save", save_tensor)


@patch_module("allennlp.nn.util")
def refuse_damaged_weights(module: Any) -> Iterator[None]:
    """`torch.load` reads damaged weights as others, and does not name a file without weights."""
    yield
    from elmo_plugin.compat.safety.integrity import weights_file

    original = module.read_state_dict

    @wraps(original)
    def read_state_dict(path: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        with weights_file(path):
            return original(path, *args, **kwargs)

    module.read_state_dict = read_state_dict


@patch_module("allennlp.training.checkpointer")
def refuse_damaged_checkpoints(module: Any) -> Iterator[None]:
    """AllenNLP resumes from damaged weights."""
    yield
    from elmo_plugin.compat.safety.integrity import weights_file

    load = _weights_only(module.torch.load)

    @wraps(load)
    def load_checkpoint(path: str, **options: Any) -> Any:
        with weights_file(path):
            return load(path, **options)

    replace_for(module, "torch.load", load_checkpoint)
