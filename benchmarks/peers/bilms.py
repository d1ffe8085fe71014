"""Other implementations of a whole biLM, on the same weights and sentences as ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
from allennlp.modules.elmo import _ElmoBiLm
from allennlp.nn.util import remove_sentence_boundaries
from rounds import time_over

from elmo_plugin.layers import Bilm, batch_to_ids
from elmo_plugin.weights import load_bilm
from peers.plain import plain_layers
from peers.simple_elmo_process import SimpleElmo, is_installed


class Sentences(NamedTuple):
    """Text, and how many sentences of it a batch has."""

    sentences: list[list[str]]
    batch_size: int

    @property
    def tokens(self) -> int:
        return sum(map(len, self.sentences))

    def batches(self) -> list[torch.Tensor]:
        """Character ids."""
        starts = range(0, len(self.sentences), self.batch_size)
        parts = [self.sentences[start : start + self.batch_size] for start in starts]
        return [batch_to_ids(part) for part in parts]


class Peers:
    """
    AllenNLP, the plain loop and, where it is installed, simple_elmo, which is a process that ends
    with the context.

    # Parameters

    files : `Tuple[str, str]`
        Options and weights.
    text : `Sentences`
    batches : `List[torch.Tensor]`
        Character ids of the text, on the device to run on; simple_elmo runs on the CPU.
    threads : `int`
        For simple_elmo.
    """

    passes: dict[str, Callable[[], float]]
    """By name: the seconds of a pass over all batches."""
    layers: dict[str, torch.Tensor]
    """By name: the layers of the first batch. Shape (layers, batch, tokens, dim)."""

    def __init__(
        self, files: tuple[str, str], text: Sentences, batches: list[torch.Tensor], threads: int
    ) -> None:
        device = batches[0].device
        allennlp = _ElmoBiLm(*files).eval().to(device)
        plain = load_bilm(*files).to(device)  # its weights have gradients, so nothing is cached
        self.passes = {
            "AllenNLP": partial(time_over, partial(_run_allennlp, allennlp), batches),
            "plain loop": partial(time_over, partial(_run_plain, plain), batches),
        }
        self.layers = {
            "AllenNLP": _layers_of_allennlp(_run_allennlp(allennlp, batches[0])),
            "plain loop": _run_plain(plain, batches[0]),
        }
        self._simple_elmo = None
        if is_installed():
            peer = SimpleElmo(*files, text.sentences, text.batch_size, threads)
            self._simple_elmo = peer
            self.passes["simple_elmo"] = peer.seconds_of_passes
            # Its token layer computes padding.
            layers = peer.layers().to(device)
            self.layers["simple_elmo"] = layers * (batches[0] > 0).any(-1, keepdim=True)

    def __enter__(self) -> Peers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._simple_elmo is not None:
            self._simple_elmo.close()


def _run_allennlp(bilm: _ElmoBiLm, batch: torch.Tensor) -> dict[str, Any]:
    bilm._elmo_lstm.reset_states()
    return bilm(batch)


def _layers_of_allennlp(output: dict[str, Any]) -> torch.Tensor:
    activations = output["activations"]
    return torch.stack([remove_sentence_boundaries(a, output["mask"])[0] for a in activations])


def _run_plain(bilm: Bilm, batch: torch.Tensor) -> torch.Tensor:
    with plain_layers():
        return bilm(batch).layers
