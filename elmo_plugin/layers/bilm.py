"""The bidirectional language model: characters to all layers of every token (section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import torch

from elmo_plugin.layers import backend
from elmo_plugin.layers.bilm_output import BilmOutput, pad_layers
from elmo_plugin.layers.boundaries import token_mask
from elmo_plugin.layers.char_encoder import CharacterEncoder
from elmo_plugin.layers.config import BilmConfig
from elmo_plugin.layers.initial_state import CarriedState, InitialState
from elmo_plugin.layers.lstm import LstmState
from elmo_plugin.layers.stacked_lstm import StackedLstm
from elmo_plugin.layers.token_layer import encode_sentences, repeat_directions
from elmo_plugin.layers.uncompiled import uncompiled

_MATRICES = ("token_encoder.highways.", "token_encoder.projection.", "lstm.")


class Bilm(torch.nn.Module):
    """
    The token layer and both directions' LSTMs (Peters et al. 2018, section 3.1). The directions
    share the token layer only.

    # Parameters

    config : `BilmConfig`
    initial_state : `str`, optional (default = `"zero"`)
        State that each sentence starts from. "zero": zeros. "warm": a fixed state that was
        recorded from text and stored with the weights. With either, a sentence's vectors depend on
        that sentence alone. "carried": the state after the sentence in the same row of the previous
        batch, as in AllenNLP's ELMo.
    dropout : `float`, optional (default = `0.0`)
        Applied to the input of each LSTM layer in training.
    precision : `torch.dtype`, optional (default = `None`)
        Data type of the operands of matrix multiplications in training (mixed precision), and of
        hidden states, which are such operands: torch.float32, bfloat16 or float16; `None` for the
        weights'. Weights, cell states and all of evaluation keep the weights' type.
    """

    warm_hidden: torch.Tensor
    warm_cell: torch.Tensor

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
        for name, dim in (("hidden", config.projection_dim), ("cell", config.cell_dim)):
            self.register_buffer(f"warm_{name}", torch.zeros(config.num_layers, 2, 1, dim))
        self._word_cache = backend.WordCache()
        self.carried = CarriedState()

    def to_precision(self, dtype: torch.dtype) -> Bilm:
        """
        Store the matrices of highways, projections and LSTMs in another type, for inference: half
        the memory in torch.bfloat16, and faster where the hardware supports it. States and results
        stay float32, and with Numba on CPUs accumulation too.
        """
        for name, parameter in self.named_parameters():
            if name.startswith(_MATRICES) and not name.endswith("bias"):
                parameter.data = parameter.data.to(dtype)
        return self

    @property
    def output_dim(self) -> int:
        """Size of a token's vector in each layer, both directions together."""
        return 2 * self.config.projection_dim

    @property
    def mixture_size(self) -> int:
        """Number of layers in the output: the LSTM layers and the token layer."""
        return self.config.num_layers + 1

    @uncompiled
    def forward(self, character_ids: torch.Tensor, keep_boundaries: bool = False) -> BilmOutput:
        """
        Compute all layers of a batch of sentences (R_k in section 3.2). Shape of the output's
        layers: (mixture_size, batch, tokens, output_dim).

        # Parameters

        character_ids : `torch.Tensor`
            See `batch_to_ids`: 0 after the end of a sentence and nowhere else. Without sentence
            boundaries. Shape (batch, tokens, characters).
        keep_boundaries : `bool`, optional (default = `False`)
            Return the layers of BOS and EOS too: two more tokens per sentence.

        # Raises

        `ValueError` : another shape, ids outside of 0 to 261, or a masked word within a sentence.
        """
        tokens, mask = encode_sentences(self, character_ids)
        return self.run_sentences(tokens, mask, keep_boundaries)

    def run_sentences(
        self, tokens: torch.Tensor, mask: torch.Tensor, keep_boundaries: bool = False
    ) -> BilmOutput:
        """
        Compute all layers of sentences whose token layer is known, see `encode_words`.

        # Parameters

        tokens : `torch.Tensor`
            Token layer of all sentences in order, with BOS and EOS. Shape (words, projection_dim).
        mask : `torch.Tensor`
            False at padding; without BOS and EOS. Shape (batch, tokens).
        keep_boundaries : `bool`, optional (default = `False`)
        """
        lengths = mask.sum(1)
        is_token = token_mask(lengths)
        packing = backend.Packing(lengths + 2)
        states = self._first_states(packing.order)
        outputs, states = self.lstm(packing.pack(tokens), packing.batch_sizes, states)
        if self.initial_state == "carried":
            self.carried.update(states, packing.order)
        if keep_boundaries:
            is_token = torch.ones_like(is_token)
            mask = torch.nn.functional.pad(mask, (2, 0), value=True)  # (batch, tokens + 2)
        layers = [repeat_directions(tokens), *map(packing.unpack, outputs)]
        return pad_layers([layer[is_token] for layer in layers], mask)

    @uncompiled
    def run_streams(
        self, words: torch.Tensor, index: torch.Tensor, states: Sequence[LstmState]
    ) -> tuple[torch.Tensor, list[LstmState]]:
        """
        Compute both directions' top layer over rows of text that are in reading order and include
        sentence boundaries, to train and score a language model.

        # Parameters

        words : `torch.Tensor`
            Character ids of the distinct words. Shape (words, characters).
        index : `torch.Tensor`
            Index into `words` of the token that each direction reads at each step. Shape
            (2, rows, steps).
        states : `Sequence[LstmState]`
            One per layer, for `rows` rows; see `zero_states`.

        # Returns

        hidden : `torch.Tensor`
            Shape (2, rows, steps, projection_dim).
        states : `List[LstmState]`
            After the last step.
        """
        _, rows, steps = index.shape
        # Not `tokens[...]`, whose gradient sums repeated words in an order that threads decide.
        tokens = self.encode_words(words)
        inputs = torch.nn.functional.embedding(index.transpose(1, 2).reshape(2, -1), tokens)
        outputs, final = self.lstm(inputs, [rows] * steps, states)
        return outputs[-1].view(2, steps, rows, -1).transpose(1, 2), final

    @uncompiled
    def encode_words(self, character_ids: torch.Tensor) -> torch.Tensor:
        """The token layer alone. Shape (words, characters) to (words, projection_dim)."""
        trained = any(p.requires_grad for p in self.token_encoder.parameters())
        if trained:
            # Some optimizers change weights without PyTorch counting it, so nothing is cached.
            self._word_cache.clear()
        # A replica of `DataParallel` has no parameters, and would share its cache with the others.
        if trained or getattr(self, "_is_replica", False) or self.token_encoder.lowers_precision:
            return self.token_encoder(character_ids)
        return self._word_cache.encode(self.token_encoder, character_ids)

    def zero_states(self, batch_size: int) -> list[LstmState]:
        """The zero state for `batch_size` sequences, one per layer."""
        return [LstmState(*map(torch.zeros_like, s)) for s in self.warm_states(batch_size)]

    def warm_states(self, batch_size: int) -> list[LstmState]:
        """The warm state for `batch_size` sequences, one per layer."""
        states = (s.expand(-1, -1, batch_size, -1) for s in (self.warm_hidden, self.warm_cell))
        return [LstmState(*state) for state in zip(*states)]

    def forget_carried_state(self) -> None:
        """Start the next batch from the zero state."""
        self.carried = CarriedState()

    def _first_states(self, order: torch.Tensor) -> list[LstmState]:
        if self.initial_state == "carried":
            return self.carried.start(self.zero_states(len(order)), order)
        return (self.warm_states if self.initial_state == "warm" else self.zero_states)(len(order))
