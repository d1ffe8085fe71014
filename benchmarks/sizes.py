"""
The sizes of biLMs that speeds are measured for, by LSTM cells, projection and character filters:
512/128/384 is that of `training_configs/bilm/small.jsonnet`, 1024/256/512 that of `medium.jsonnet`
and 4096/512/2048 the published one.
"""

from __future__ import annotations

from elmo_plugin.layers import BilmConfig


def size_name(config: BilmConfig) -> str:
    return f"{config.cell_dim} / {config.projection_dim} / {config.num_filters}"


def _with_one_highway(cells: int, projection: int, *filters: tuple[int, int]) -> BilmConfig:
    return BilmConfig(filters=filters, num_highways=1, cell_dim=cells, projection_dim=projection)


TINY = _with_one_highway(12, 8, (1, 8), (2, 8))
SIZES = {
    size_name(config).replace(" ", ""): config
    for config in (
        TINY,
        _with_one_highway(512, 128, (1, 32), (2, 32), (3, 64), (4, 128), (5, 128)),
        _with_one_highway(1024, 256, (1, 32), (2, 64), (3, 96), (4, 128), (5, 192)),
        BilmConfig(cell_dim=1024, projection_dim=128),
        BilmConfig(),
    )
}
