"""Loads weights and training states without running code in them, and refuses damaged files."""

import inspect
from typing import Any

from elmo_plugin.compat.patching import wrap


@wrap(
    "allennlp.common.file_utils",
    "allennlp.nn.initializers",
    "allennlp.nn.parallel.fairscale_fsdp_accelerator",
    "allennlp.nn.util",
    "allennlp.training.gradient_descent_trainer",
    "allennlp_models.vision.dataset_readers.flickr30k",
    "torch.load",
)
def load_weights_only(original: Any, *args: Any, **kwargs: Any) -> Any:
    """Until torch 2.6, `torch.load` ran the code in a file unless told otherwise."""
    return original(*args, **{"weights_only": True, **kwargs})


@wrap("allennlp.common.cached_transformers", "get")
def check_override_weights(original: Any, *args: Any, **kwargs: Any) -> Any:
    """This module imports torch in the function that loads the weights, so it is not patched
    above: a file that loads without running code runs none when it is loaded again."""
    import torch
    from allennlp.common.file_utils import cached_path

    arguments = inspect.signature(original).bind(*args, **kwargs).arguments
    file = arguments.get("override_weights_file")
    if file is not None:
        torch.load(cached_path(file), map_location="cpu", weights_only=True)
    return original(*args, **kwargs)


@wrap("allennlp.common.file_utils", "torch.save")
def cache_loadable_tensors(original: Any, obj: Any, file: Any, **_: Any) -> None:
    """AllenNLP saves tensors with the newest pickle protocol, of which `weights_only` loads none
    but the one that torch saves with."""
    original(obj, file)


@wrap("allennlp.nn.util", "read_state_dict")
def refuse_damaged_weights(original: Any, path: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """`torch.load` reads damaged weights as others, and does not name a file without weights."""
    from elmo_plugin.compat.safety.integrity import weights_file

    with weights_file(path):
        return original(path, *args, **kwargs)


@wrap("allennlp.training.checkpointer", "torch.load")
def refuse_damaged_checkpoints(original: Any, path: str, **options: Any) -> Any:
    """AllenNLP resumes from damaged weights."""
    from elmo_plugin.compat.safety.integrity import weights_file

    with weights_file(path):
        return load_weights_only(original, path, **options)
