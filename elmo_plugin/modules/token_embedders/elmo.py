"""The TokenEmbedder `elmo` (section 3.3)."""

from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules.token_embedders.token_embedder import TokenEmbedder

from elmo_plugin.common.errors import configuration_errors
from elmo_plugin.layers import Bilm, Elmo
from elmo_plugin.layers.fast.activation_cache import ActivationCache
from elmo_plugin.layers.initial_state import InitialState
from elmo_plugin.layers.scalar_mix import LayerNorm, MixKind
from elmo_plugin.layers.words_to_cache import WordsToCache
from elmo_plugin.modules.token_embedders.projections import Projections
from elmo_plugin.pretrained import load_bilm_or_pretrained
from elmo_plugin.weights.bilm_file import Precision

_MAX_GIGABYTES = 2**30  # of which the number of bytes is an int64


@TokenEmbedder.register("elmo")
class ElmoTokenEmbedder(TokenEmbedder):
    """
    Embeds character ids with ELMo (Peters et al. 2018, equation 1). It accepts all parameters of
    AllenNLP's "elmo_token_embedder", so that a configuration changes only the type.

    Unlike AllenNLP's, a sentence's vectors do not depend on other sentences: by default, no LSTM
    state is carried from batch to batch, and `do_layer_norm` normalizes each sentence separately.

    Registered as a `TokenEmbedder` with name "elmo".

    # Parameters

    options_file, weight_file : `str`, optional (default = `None`)
        Paths or URLs of a biLM in bilm-tf's format; the built-in biLM if both are `None`. It is
        small (see elmo_plugin/pretrained): AllenNLP's default, the published one, has nine times
        as many parameters.
    do_layer_norm : `bool` or `str`, optional (default = `False`)
        Normalize the biLM's layers before mixing them: over each sentence, or, if "batch", over the
        whole batch, as bilm-tf does; see `ScalarMix`.
    dropout : `float`, optional (default = `0.5`)
        Applied to each representation in training (section 3.3).
    requires_grad : `bool`, optional (default = `False`)
        Train the biLM with the task; frozen otherwise.
    projection_dim : `int`, optional (default = `None`)
        Size to which each representation is projected, with its own matrix; `None` for no
        projection.
    vocab_to_cache : `List[str]`, optional (default = `None`)
        Words to encode together before the first batch. Others are encoded when they first occur;
        vectors are the same.
    scalar_mix_parameters : `List[float]`, optional (default = `None`)
        Fixed weights of the layers, before the softmax; gamma is then not trained either.
    num_output_representations : `int`, optional (default = `1`)
        Number of mixes, each with its own weights and gamma (`scalar_mixes.0`, `scalar_mixes.1`,
        ...), concatenated: ELMo for a model's input and for its output.
    mix : `str` or `int`, optional (default = `"weighted"`)
        "weighted", "last", "average", or the index of a layer, 0 for the token layer.
    initial_state : `str`, optional (default = `"zero"`)
        LSTM state that each sentence starts from: "zero"; "warm", a state stored with the weights;
        or "carried", the state after the batch before, as in AllenNLP.
    cache_gigabytes : `float`, optional (default = `1.0`)
        Main memory for the layers of sentences, so that a frozen biLM reads each only once; 0 for
        no cache. See `ActivationCache`.
    precision : `str`, optional (default = `"float32"`)
        "bfloat16" for a frozen biLM with matrices of that type: half the memory, and faster where
        the hardware supports it; see `load_bilm`.
    train_gamma : `bool`, optional (default = `True`)
        Learn gamma; otherwise it stays 1.

    # Raises

    `ConfigurationError` : names the argument, or the file, its keys and shapes.
    """

    def __init__(
        self,
        options_file: Optional[str] = None,
        weight_file: Optional[str] = None,
        do_layer_norm: LayerNorm = False,
        dropout: float = 0.5,
        requires_grad: bool = False,
        projection_dim: Optional[int] = None,
        vocab_to_cache: Optional[list[str]] = None,
        scalar_mix_parameters: Optional[list[float]] = None,
        num_output_representations: int = 1,
        mix: MixKind = "weighted",
        initial_state: InitialState = "zero",
        cache_gigabytes: float = 1.0,
        precision: Precision = "float32",
        train_gamma: bool = True,
    ) -> None:
        super().__init__()
        if requires_grad and precision != "float32":
            raise ConfigurationError(
                f"precision: expected float32 where requires_grad is true, got {precision}: small "
                "changes of its weights would be lost"
            )
        with configuration_errors():
            bilm = _load_bilm(options_file, weight_file, initial_state, precision)
            self._elmo = Elmo(
                bilm.requires_grad_(requires_grad),
                num_output_representations,
                mix,
                do_layer_norm,
                dropout,
                scalar_mix_parameters,
                _activation_cache(cache_gigabytes),
                train_gamma,
            )
        self._projections = Projections(num_output_representations, bilm.output_dim, projection_dim)
        # Nothing is cached while the weights may change.
        self._words_to_cache = WordsToCache(None if requires_grad else vocab_to_cache)

    def get_output_dim(self) -> int:
        return self._projections.output_dim

    def forward(
        self, elmo_tokens: torch.Tensor, word_inputs: Optional[torch.Tensor] = None
    ) -> torch.Tensor:
        """
        Embed tokens with ELMo (equation 1).

        # Parameters

        elmo_tokens : `torch.Tensor`
            From the indexer "elmo_characters". Shape (batch, ..., tokens, characters).
        word_inputs : `torch.Tensor`, optional (default = `None`)
            Ignored: AllenNLP looks cached words up by these ids, this embedder by their characters.

        # Returns

        `torch.Tensor` : Shape (batch, ..., tokens, output_dim).
        """
        if elmo_tokens.dim() == 2:  # as AllenNLP pads a batch of empty texts alone
            raise ConfigurationError(
                "elmo_tokens: expected a text with tokens, got a batch of empty texts"
            )
        expected, found = self._elmo.bilm.config.max_characters, elmo_tokens.size(-1)
        if found != expected:
            raise ConfigurationError(
                f"elmo_tokens: expected {expected} characters per word, as the biLM reads, got "
                f"{found}: set max_characters of the indexer elmo_characters to {expected}"
            )
        with configuration_errors():
            self._words_to_cache.encode(self._elmo.bilm, elmo_tokens.device)
            representations = self._elmo(elmo_tokens)
        return self._projections(representations, elmo_tokens)

    @property
    def has_frozen_bilm(self) -> bool:
        """True if the biLM is not trained with the task."""
        return not any(p.requires_grad for p in self._elmo.bilm.parameters())

    def cache_layers(self, batches: list[torch.Tensor]) -> None:
        """
        Compute a frozen biLM's layers of the sentences of several batches together, for the calls
        that follow.

        # Parameters

        batches : `List[torch.Tensor]`
            As `elmo_tokens`; those with another number of characters are left out.
        """
        characters = self._elmo.bilm.config.max_characters
        ours = [ids.flatten(0, -3) for ids in batches if ids.size(-1) == characters]
        with configuration_errors():
            self._elmo.cache_layers(ours)


def _activation_cache(gigabytes: float) -> Optional[ActivationCache]:
    if not 0 <= gigabytes < _MAX_GIGABYTES:
        raise ValueError(
            f"cache_gigabytes: expected a number from 0 to {_MAX_GIGABYTES:g}, got {gigabytes}"
        )
    return ActivationCache(int(gigabytes * 2**30)) if gigabytes else None


def _load_bilm(
    options_file: Optional[str],
    weight_file: Optional[str],
    initial_state: InitialState,
    precision: Precision,
) -> Bilm:
    try:
        return load_bilm_or_pretrained(options_file, weight_file, initial_state, precision)
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"options_file {options_file}, weight_file {weight_file}: {error}. "
            "A trained model looks for its biLM where its configuration says; if the files have "
            "moved, pass their new paths with --overrides."
        ) from error
