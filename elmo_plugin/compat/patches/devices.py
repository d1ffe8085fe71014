"""Numbers of GPUs."""

from collections.abc import Iterator
from functools import wraps
from typing import Any

from elmo_plugin.compat.patching import patch_module

_MAX_GPU = 127  # torch stores the number in a signed byte and wraps 256 to 0


@patch_module("allennlp.common.util")
def number_gpus(module: Any) -> Iterator[None]:
    """A bare number means a GPU to AllenNLP. To today's torch it means any accelerator, and fails
    where there is none, before AllenNLP can say that the GPU is not available."""
    yield
    from allennlp.common.checks import ConfigurationError

    original = module.int_to_device

    @wraps(original)
    def int_to_device(device: Any) -> Any:
        if isinstance(device, int) and device >= 0:
            if device > _MAX_GPU:
                raise ConfigurationError(f"cuda_device: expected the number of a GPU, got {device}")
            return module.torch.device("cuda", device)
        return original(device)

    module.int_to_device = int_to_device
