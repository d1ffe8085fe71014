"""
Times the LSTM layers of a biLM alone, forward, in tokens per second: ours; `torch.nn.LSTM` with
`proj_size`, one stack for each direction; and the plain loop of `layers.lstm`.

    python benchmarks/lstm_layers.py en_ewt-ud-dev.conllu --out results/lstm_speed.md

`torch.nn.LSTM` supports neither clipping nor residual connections, so all three do without: they
compute the same from the same weights, on inputs packed in the same way. The top layer of the first
batch is compared once, before, with both peers: the largest difference, and for bfloat16 the norm
of the difference, relative to the norm. Peers compute in float32. Inputs are random, as long as the
sentences of the text, whose boundaries count as tokens. The first round is not counted.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import torch
from operations import lstm_operations
from peers.bilms import Sentences
from peers.plain import plain_layers
from peers.torch_lstm import TorchLstm
from rounds import take_turns, time_over
from speed_tables import largest_difference, median_cell, peer_cells, peer_columns
from tables_by_size import PRECISIONS, Rates, write_table

from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.layers.backend import Packing
from elmo_plugin.reporting.tables import Cell

PEERS = ("torch.nn.LSTM", "plain loop")
COLUMNS = (
    *("cell / projection", "sentences", "precision", "tokens/s"),
    *peer_columns(PEERS, "tokens/s"),
    *("share of the matrix rate", "difference"),
)


class Packed(NamedTuple):
    """Inputs of a batch, packed by step. Shape (2, words, projection_dim)."""

    inputs: torch.Tensor
    batch_sizes: list[int]


Run = Callable[[Packed], torch.Tensor]
"""Returns the top layer, packed like the inputs."""


def main() -> None:
    write_table("LSTM layers of a biLM, without character CNN", COLUMNS, compare)


def compare(
    config: BilmConfig, text: Sentences, arguments: argparse.Namespace, rates: Rates
) -> list[list[Cell]]:
    torch.manual_seed(0)
    on_device = (batch.to(arguments.device) for batch in text.batches())
    batches = [random_inputs(batch, config.projection_dim) for batch in on_device]
    runs = implementations(config, arguments.device)
    first = {key: run(batches[0]) for key, run in runs.items()}
    expected = {peer: first[peer] for peer in PEERS}
    name = f"{config.cell_dim} / {config.projection_dim}"
    label = f"{name}, {text.batch_size} sentences"
    passes = {key: partial(time_over, run, batches) for key, run in runs.items()}
    seconds = take_turns(passes, arguments.rounds + 1, label)
    # Boundaries of sentences are tokens here, as there is no part that adds them.
    tokens = sum(sum(batch.batch_sizes) for batch in batches)
    speeds = {key: [tokens / value for value in values[1:]] for key, values in seconds.items()}
    rows: list[list[Cell]] = []
    for precision in PRECISIONS:
        values = speeds[precision]
        share = statistics.median(values) * lstm_operations(config) / rates[precision]
        rows.append(
            [
                *(name, text.batch_size, precision, median_cell(values)),
                *peer_cells(values, speeds, PEERS),
                *(f"{share:.0%}", largest_difference(first[precision], expected, precision)),
            ]
        )
    return rows


def random_inputs(character_ids: torch.Tensor, dim: int) -> Packed:
    """Random vectors for the words of a batch and both boundaries of each sentence."""
    packing = Packing((character_ids > 0).any(-1).sum(1) + 2)
    inputs = torch.randn(2, sum(packing.batch_sizes), dim, device=character_ids.device)
    return Packed(inputs, packing.batch_sizes)


def implementations(config: BilmConfig, device: str) -> dict[str, Run]:
    config = replace(config, cell_clip=None, projection_clip=None, residual=False)
    bilm = Bilm(config).requires_grad_(False).to(device)
    half = deepcopy(bilm).to_precision(torch.bfloat16)
    peer = TorchLstm(bilm.lstm).to(device)

    def run_plain(batch: Packed) -> torch.Tensor:
        with plain_layers():
            return run_lstm(bilm, batch)

    return {
        "float32": partial(run_lstm, bilm),
        "bfloat16": partial(run_lstm, half),
        "torch.nn.LSTM": lambda batch: peer(batch.inputs, torch.tensor(batch.batch_sizes)),
        "plain loop": run_plain,
    }


def run_lstm(bilm: Bilm, batch: Packed) -> torch.Tensor:
    outputs, _ = bilm.lstm(*batch, bilm.zero_states(batch.batch_sizes[0]))
    return outputs[-1]


if __name__ == "__main__":
    main()
