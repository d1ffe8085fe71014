"""The bidirectional language model: characters in, every layer of every token out (section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch

from elmo_plugin.layers.char_encoder import CharacterEncoder
from elmo_plugin.layers.char_ids import (
    BOS_TOKEN,
    EOS_TOKEN,
    batch_to_ids,
    check_ids,
)
from elmo_plugin.layers.config import BilmConfig
from elmo_plugin.layers.fast.packing import Packing
from elmo_plugin.layers.fast.recurrence import LstmState
from elmo_plugin.layers.fast.unique_words import unique_words
from elmo_plugin.layers.fast.word_cache import WordCache
from elmo_plugin.layers.stacked_lstm import StackedLstm

InitialState = Literal["zero", "warm", "carried"]


@dataclass
class BilmOutput:
    """One pass of a biLM over a batch; everything else in this package reads from it."""

    layers: torch.Tensor
    """
    The token layer (twice, once a direction) and the LSTM layers, zero after a sentence's end.
    Shape (num_layers + 1, batch, tokens, 2 * projection_dim).
    """
    mask: torch.Tensor
    """True where there is a token. Shape (batch, tokens)."""


class Bilm(torch.nn.Module):
    """
    Token layer and both directions' LSTMs. The directions share the token layer and meet only in
    the output.

    # Parameters

    config : `BilmConfig`
    initial_state : `str`, optional (default = `"zero"`)
        What each sentence starts from.
        "zero": nothing; a sentence's vectors depend on that sentence alone.
        "warm": one fixed state, recorded from real text and stored with the weights; likewise.
        "carried": what the sentence in the same row of the batch before left, as AllenNLP's ELMo
        does; a sentence's vectors then depend on all that was read before.
    dropout : `float`, optional (default = `0.0`)
        On the input of each LSTM layer, in training.
    precision : `torch.dtype`, optional (default = `None`)
        Type of the operands of matrix products in training, the weights' own if `None`; sums,
        states and activations are of the weights' own, and so is all evaluation. With
        torch.bfloat16, hardware that has it trains faster.
    """

    warm_hidden: torch.Tensor
    warm_cell: torch.Tensor
    boundaries: torch.Tensor

    def __init__(
        self,
        config: BilmConfig,
        initial_state: InitialState = "zero",
        dropout: float = 0.0,
        precision: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if initial_state not in get_args(InitialState):
            expected = ", ".join(get_args(InitialState))
            raise ValueError(f"initial_state: expected one of {expected}, got {initial_state!r}")
        self.config = config
        self.initial_state = initial_state
        self.precision = precision
        self.token_encoder = CharacterEncoder(config, precision)
        self.lstm = StackedLstm(config, dropout, precision)
        sizes = (config.num_layers, 2, 1)
        self.register_buffer("warm_hidden", torch.zeros(*sizes, config.projection_dim))
        self.register_buffer("warm_cell", torch.zeros(*sizes, config.cell_dim))
        boundaries = batch_to_ids([[BOS_TOKEN, EOS_TOKEN]], config.max_characters)
        self.register_buffer("boundaries", boundaries[0], persistent=False)
        self._word_cache = WordCache()
        self._carried: list[LstmState] = []

    @property
    def output_dim(self) -> int:
        """Size of a token's vector in each layer: both directions together."""
        return 2 * self.config.projection_dim

    @property
    def mixture_size(self) -> int:
        """Layers of the output: the LSTMs' and the token layer."""
        return self.config.num_layers + 1

    def forward(self, character_ids: torch.Tensor) -> BilmOutput:
        """
        # Parameters

        character_ids : `torch.Tensor`
            As `batch_to_ids` makes them: 0 after the end of a sentence, which must have no holes.
            Sentence boundaries are added and taken off here. Shape (batch, tokens, characters).

        # Returns

        `BilmOutput`

        # Raises

        `ValueError` : another shape, ids outside of 0 to 261, or a masked word within a sentence.
        """
        mask = check_ids(character_ids, self.config.max_characters)
        sentence_lengths = mask.sum(1)
        packing = Packing(sentence_lengths + 2)
        words, inside = self._with_boundaries(character_ids, sentence_lengths)
        distinct, index = unique_words(words)
        tokens = torch.nn.functional.embedding(index, self.encode_words(distinct))

        states = self._first_states(packing.order)
        outputs, states = self.lstm(packing.pack(tokens), packing.batch_sizes, states)
        if self.initial_state == "carried":
            self._carry(states, packing.order)

        layers = tokens.new_zeros(self.mixture_size, *mask.shape, self.output_dim)
        layers[0, mask] = torch.cat([tokens, tokens], dim=-1)[inside]
        for depth, output in enumerate(outputs, start=1):
            layers[depth, mask] = packing.unpack(output)[inside]
        return BilmOutput(layers, mask)

    def run_streams(
        self, words: torch.Tensor, index: torch.Tensor, states: Sequence[LstmState]
    ) -> tuple[torch.Tensor, list[LstmState]]:
        """
        Both directions' top layer over rows of text that are already in reading order, boundaries
        included: what a language model is trained and scored with.

        # Parameters

        words : `torch.Tensor`
            Character ids of distinct words. Shape (words, characters).
        index : `torch.Tensor`
            Which word each direction reads at each step. Shape (2, rows, steps).
        states : `Sequence[LstmState]`
            One a layer, for `rows` rows; see `zero_states`.

        # Returns

        hidden : `torch.Tensor`
            Shape (2, rows, steps, projection_dim).
        states : `list[LstmState]`
            After the last step.
        """
        _, rows, steps = index.shape
        tokens = self.encode_words(words)
        # Not `tokens[...]`, whose gradient adds up repeated words in any order of the threads.
        inputs = torch.nn.functional.embedding(index.transpose(1, 2).reshape(2, -1), tokens)
        outputs, final = self.lstm(inputs, [rows] * steps, states)
        return outputs[-1].view(2, steps, rows, -1).transpose(1, 2), final

    def encode_words(self, character_ids: torch.Tensor) -> torch.Tensor:
        """The token layer alone. Shape (words, characters) to (words, projection_dim)."""
        if any(p.requires_grad for p in self.token_encoder.parameters()):
            # Some optimizers write where PyTorch does not count it, so nothing is kept meanwhile.
            self._word_cache.clear()
            return self.token_encoder(character_ids)
        return self._word_cache.encode(self.token_encoder, character_ids)

    def zero_states(self, batch_size: int) -> list[LstmState]:
        """One a layer, for `batch_size` sequences."""
        return [
            LstmState(hidden.new_zeros(hidden.shape), cell.new_zeros(cell.shape))
            for hidden, cell in self.warm_states(batch_size)
        ]

    def warm_states(self, batch_size: int) -> list[LstmState]:
        """The recorded state for each of `batch_size` sequences, one a layer."""
        hidden = self.warm_hidden.expand(-1, -1, batch_size, -1)
        cell = self.warm_cell.expand(-1, -1, batch_size, -1)
        return [LstmState(h, c) for h, c in zip(hidden, cell)]

    @torch.no_grad()
    def record_warm_state(self, batches: Iterable[torch.Tensor]) -> None:
        """
        Sets the warm state to the mean of those that sentences leave behind when each follows
        another.

        # Parameters

        batches : `Iterable[torch.Tensor]`
            Character ids as for `forward`; row after row, the sentence of a batch follows that of
            the batch before.
        """
        training, initial_state = self.training, self.initial_state
        self.eval().initial_state = "carried"
        self.forget_carried_state()
        sums, rows = self.zero_states(1), 0
        for batch in batches:
            self(batch)
            rows += len(batch)
            for total, state in zip(sums, self._carried):
                for t, s in zip(total, state):
                    t += s[:, : len(batch)].sum(1, keepdim=True)
        self.forget_carried_state()
        self.train(training).initial_state = initial_state
        for hidden, cell, total in zip(self.warm_hidden, self.warm_cell, sums):
            hidden.copy_(total.hidden / rows)
            cell.copy_(total.cell / rows)

    def forget_carried_state(self) -> None:
        """Start the next batch from nothing again."""
        self._carried = []

    def _with_boundaries(
        self, character_ids: torch.Tensor, lengths: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """All words, sentence after sentence with its boundaries, and which are none of those."""
        batch, tokens, characters = character_ids.shape
        # Of the boundaries' type: the ids' own may be too small for them.
        padded = self.boundaries.new_zeros(batch, tokens + 2, characters)
        padded[:, 1:-1] = character_ids
        start, end = self.boundaries
        padded[:, 0] = start
        padded[torch.arange(batch, device=padded.device), lengths + 1] = end
        position = torch.arange(tokens + 2, device=padded.device)
        last = (lengths + 1).unsqueeze(1)
        inside = (position > 0) & (position < last)
        used = position <= last
        return padded[used], inside[used]

    def _first_states(self, order: torch.Tensor) -> list[LstmState]:
        if self.initial_state == "warm":
            return self.warm_states(len(order))
        zero = self.zero_states(len(order))
        if self.initial_state == "zero" or not self._carried:
            return zero
        carried = [_first_rows(old, new) for old, new in zip(self._carried, zero)]
        return [LstmState(*(s[:, order] for s in state)) for state in carried]

    def _carry(self, states: Sequence[LstmState], order: torch.Tensor) -> None:
        # Rows that this batch did not reach keep what they had.
        place = torch.argsort(order)
        unsorted = [LstmState(*(s.detach()[:, place] for s in state)) for state in states]
        if self._carried:
            unsorted = [_overwrite(old, new) for old, new in zip(self._carried, unsorted)]
        self._carried = unsorted


def _first_rows(old: LstmState, new: LstmState) -> LstmState:
    """As many rows as `new` has: those of `old`, and of `new` where `old` has none."""
    rows = new.hidden.size(1)
    return LstmState(
        *(torch.cat([o[:, :rows], n[:, o.size(1) :]], dim=1) for o, n in zip(old, new))
    )


def _overwrite(old: LstmState, new: LstmState) -> LstmState:
    """`new`, and the rows of `old` that it has not."""
    return LstmState(*(torch.cat([n, o[:, n.size(1) :]], dim=1) for o, n in zip(old, new)))
