"""Numbers of GPUs."""

from typing import Any

from elmo_plugin.compat.configuration_error import configuration_error
from elmo_plugin.compat.patching import wrap

_MAX_GPU = 127  # torch stores the number in a signed byte and wraps 256 to 0


@wrap("allennlp.common.util", "int_to_device")
def number_gpus(original: Any, device: Any) -> Any:
    """A bare number means a GPU to AllenNLP. To today's torch it means any accelerator, and fails
    where there is none, before AllenNLP can say that the GPU is not available."""
    import torch

    if isinstance(device, int) and device >= 0:
        if device > _MAX_GPU:
            raise configuration_error(f"cuda_device: expected the index of a GPU, got {device}")
        return torch.device("cuda", device)
    return original(device)
