"""The sizes of biLMs that speeds are measured for."""

from __future__ import annotations

from elmo_plugin.layers import BilmConfig

_SMALL_FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 128))
SIZES = {
    "tiny": BilmConfig(filters=((1, 8), (2, 8)), num_highways=1, cell_dim=12, projection_dim=8),
    # The built-in biLM's.
    "small": BilmConfig(filters=_SMALL_FILTERS, num_highways=1, cell_dim=512, projection_dim=128),
    "light": BilmConfig(
        filters=(*_SMALL_FILTERS[:-1], (5, 256)), num_highways=1, cell_dim=1024, projection_dim=128
    ),
    "medium": BilmConfig(cell_dim=1024, projection_dim=128),
    # The published model's.
    "full": BilmConfig(),
}


def size_name(config: BilmConfig) -> str:
    return f"{config.cell_dim} / {config.projection_dim} / {config.num_filters}"
