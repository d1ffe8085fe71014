"""
The biLM once more: plain, slow NumPy in float64, one word at a time, written from the equations of
the paper and bilm-tf. It reads the weight files itself and shares nothing with elmo_plugin.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy

Array = numpy.ndarray
State = dict[tuple[int, int], tuple[Array, Array]]
"""Hidden state and memory cell of each (direction, layer)."""

BOUNDARIES = {"<S>": [256], "</S>": [257]}
BEGIN_WORD, END_WORD, PADDING = 258, 259, 260


class NumpyBilm:
    def __init__(self, options_file: str | Path, weight_file: str | Path) -> None:
        self.options: dict[str, Any] = json.loads(Path(options_file).read_text())
        self.weights: dict[str, Array] = {}
        with h5py.File(weight_file, "r") as file:
            file.visititems(self._keep)

    def _keep(self, name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            self.weights[name] = item[...].astype("float64")

    def sentence(self, words: list[str], state: State | None = None) -> tuple[Array, State]:
        """Shape (layers + 1, words, 2 * projection), and the state that the next sentence meets."""
        layers, final = self.sentence_with_boundaries(words, state)
        return layers[:, 1:-1], final

    def sentence_with_boundaries(
        self, words: list[str], state: State | None = None
    ) -> tuple[Array, State]:
        """Compute `sentence` with the vectors of <S> and </S>. Shape (.., words + 2, ..)."""
        codes = [self._characters(word) for word in ("<S>", *words, "</S>")]
        tokens = numpy.stack([self._word_vector(code) for code in codes])
        final: State = {}
        directions = []
        for direction in range(2):
            layers = [tokens if direction == 0 else tokens[::-1]]
            for layer in range(self.options["lstm"]["n_layers"]):
                outputs, last = self._lstm(direction, layer, layers[-1], state)
                final[direction, layer] = last
                skip = layer > 0 and self.options["lstm"]["use_skip_connections"]
                layers.append(outputs + layers[-1] if skip else outputs)
            read = numpy.stack(layers)
            directions.append(read if direction == 0 else read[:, ::-1])
        return numpy.concatenate(directions, axis=-1), final

    def _characters(self, word: str) -> list[int]:
        inner = BOUNDARIES.get(word, list(word.encode("utf-8", "ignore")))
        most = self.options["char_cnn"]["max_characters_per_token"]
        code = [BEGIN_WORD, *inner[: most - 2], END_WORD]
        return code + [PADDING] * (most - len(code))

    def _word_vector(self, code: list[int]) -> Array:
        w = self.weights
        embedded = numpy.stack([w["char_embed"][character] for character in code])
        maxima = []
        for i, (width, _) in enumerate(self.options["char_cnn"]["filters"]):
            kernel = w[f"CNN/W_cnn_{i}"][0]  # (width, character dim, filters)
            windows = [embedded[p : p + width] for p in range(len(code) - width + 1)]
            sums = [numpy.einsum("wc,wcf->f", x, kernel) + w[f"CNN/b_cnn_{i}"] for x in windows]
            maxima.append(numpy.max([self._activation(x) for x in sums], axis=0))
        x = numpy.concatenate(maxima)
        for k in range(self.options["char_cnn"]["n_highway"]):
            high = f"CNN_high_{k}"
            gate = sigmoid(x @ w[f"{high}/W_carry"] + w[f"{high}/b_carry"])
            transformed = numpy.maximum(x @ w[f"{high}/W_transform"] + w[f"{high}/b_transform"], 0)
            x = gate * transformed + (1 - gate) * x
        if "CNN_proj/W_proj" not in w:  # bilm-tf leaves out a projection to the same size
            return x
        return x @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"]

    def _activation(self, x: Array) -> Array:
        relu = self.options["char_cnn"]["activation"] == "relu"
        return numpy.maximum(x, 0) if relu else numpy.tanh(x)

    def _lstm(
        self, direction: int, layer: int, inputs: Array, state: State | None
    ) -> tuple[Array, tuple[Array, Array]]:
        options = self.options["lstm"]
        cell_name = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        kernel, bias = self.weights[f"{cell_name}/W_0"], self.weights[f"{cell_name}/B"]
        projection = self.weights.get(f"{cell_name}/W_P_0")
        hidden, cell = numpy.zeros(options["projection_dim"]), numpy.zeros(options["dim"])
        if state is not None:
            hidden, cell = state[direction, layer]
        outputs = []
        for x in inputs:
            i, j, f, o = numpy.split(numpy.concatenate([x, hidden]) @ kernel + bias, 4)
            cell = sigmoid(f + 1.0) * cell + sigmoid(i) * numpy.tanh(j)
            cell = clip(cell, options["cell_clip"])
            hidden = sigmoid(o) * numpy.tanh(cell)
            if projection is not None:
                hidden = clip(hidden @ projection, options["proj_clip"])
            outputs.append(hidden)
        return numpy.stack(outputs), (hidden, cell)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + numpy.exp(-x))


def clip(x: Array, bound: float | None) -> Array:
    return x if bound is None else numpy.clip(x, -bound, bound)
