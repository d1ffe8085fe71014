"""The checksum of a module's weights."""

import hashlib

from torch.nn import Module


def sha256_of_weights(*modules: Module) -> str:
    """Return the SHA-256 of the names and values in modules' `state_dict`, in hexadecimal."""
    digest = hashlib.sha256()
    for module in modules:
        for name, weight in sorted(module.state_dict().items()):
            digest.update(name.encode() + weight.float().cpu().numpy().tobytes())
    return digest.hexdigest()
