"""
Times training of a biLM in words per second: ours, and one assembled from AllenNLP's modules
(_ElmoCharacterEncoder, ElmoLstm, SampledSoftmaxLoss); same sizes, text, threads and run.

    python benchmarks/training.py TEXT --out results/training_speed.md

A step is forward, backward, gradient norm clipping and Adagrad, over a window of 20 words in each
row; each word is predicted in both directions. Making the windows is not timed. In each round, each
model runs all windows; the table has medians over all rounds but the first, the smallest and
largest words/s, and the ratio of each round. AllenNLP's character encoder adds two boundaries to
each row, which are not counted as words. "bfloat16" is ours with matrix products of that type. Both
softmaxes have sparse gradients. The share of the matrix rate is that of a step's products, see
`operations.step_operations`, against large products in that precision.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import cast

import torch
from allennlp.modules.elmo import _ElmoCharacterEncoder
from allennlp.modules.elmo_lstm import ElmoLstm
from allennlp.modules.sampled_softmax_loss import SampledSoftmaxLoss
from operations import matrix_rate, step_operations
from rounds import take_turns, time_over
from sizes import SIZES, size_name
from speed_tables import append_table, median_cell, peer_cells, peer_columns
from tables_by_size import PRECISIONS, Rates

from elmo_plugin.common.memory import keep_freed_memory
from elmo_plugin.data.language_modeling.bilm_text import BilmTextReader
from elmo_plugin.data.language_modeling.stream_loader import BilmStreamLoader
from elmo_plugin.data.language_modeling.vocabulary import NAMESPACE, BilmVocabulary
from elmo_plugin.layers import Bilm, BilmConfig
from elmo_plugin.layers.char_ids import PADDING_ID
from elmo_plugin.models.bilm import BilmModel
from elmo_plugin.reporting.tables import Cell
from elmo_plugin.training.optimizers import takes_sparse_gradients
from elmo_plugin.weights import save_bilm

PEERS = ("AllenNLP's modules",)
COLUMNS = (
    *("cell / projection / filters", "precision", "words/s", "spread"),
    *peer_columns(PEERS, "words/s"),
    "share of the matrix rate",
)
Window = dict[str, torch.Tensor]
Step = Callable[[Window], None]


class AllennlpBilm(torch.nn.Module):
    """AllenNLP's modules, assembled as in its own language model."""

    def __init__(self, config: BilmConfig, num_words: int, num_samples: int) -> None:
        super().__init__()
        with tempfile.TemporaryDirectory() as directory:
            options, weights = f"{directory}/options.json", f"{directory}/weights.hdf5"
            save_bilm(Bilm(config), options, weights)
            self.encoder = _ElmoCharacterEncoder(options, weights, requires_grad=True)
        self.lstm = ElmoLstm(
            input_size=config.projection_dim,
            hidden_size=config.projection_dim,
            cell_size=config.cell_dim,
            num_layers=config.num_layers,
            requires_grad=True,
            memory_cell_clip_value=config.cell_clip,
            state_projection_clip_value=config.projection_clip,
        )
        self.softmax = SampledSoftmaxLoss(
            num_words, config.projection_dim, num_samples, sparse=True
        )

    def forward(self, text: Window) -> torch.Tensor:
        tokens = self.encoder(text["words"][text["inputs"][0]])
        hidden = self.lstm(tokens["token_embedding"], tokens["mask"])[-1][:, 1:-1]
        # Shape: (rows * unroll_steps, projection_dim), of each direction
        directions = hidden.flatten(0, 1).chunk(2, dim=-1)
        return sum(self.softmax(h, t.flatten()) for h, t in zip(directions, text["targets"]))


def main() -> None:
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    torch.backends.cudnn.allow_tf32 = False  # peers' convolutions in float32 too
    torch.sparse.check_sparse_tensor_invariants.disable()
    keep_freed_memory()  # for all
    vocabulary = BilmVocabulary.from_text(arguments.text, max_size=arguments.words)
    loader = BilmStreamLoader(
        BilmTextReader(), arguments.text, batch_size=arguments.batch_size, prefetch=0
    )
    loader.index_with(vocabulary)
    loader.set_target_device(torch.device(arguments.device))
    windows = [cast(Window, batch["text"]) for batch in islice(loader, arguments.windows)]
    rates = {name: matrix_rate(dtype, arguments.device) for name, dtype in PRECISIONS.items()}
    rows: list[list[Cell]] = []
    for name in arguments.sizes:
        rows += compare(SIZES[name], vocabulary, windows, arguments, rates)
    metadata = {
        "Windows": f"{arguments.windows} of {arguments.batch_size} rows; {arguments.rounds} rounds",
        "Vocabulary": f"{vocabulary.get_vocab_size(NAMESPACE):,} words",
        "Sampled softmax": f"{arguments.samples:,} samples",
        "Matrix rate": ", ".join(f"{rate / 1e9:.0f} GFLOP/s {d}" for d, rate in rates.items()),
    }
    append_table("Training of a biLM", COLUMNS, rows, metadata, arguments.out)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Words per second of training.")
    parser.add_argument("text", help="file or glob, one tokenized sentence per line")
    parser.add_argument(
        "--sizes", nargs="+", choices=SIZES, default=["512/128/384", "1024/128/2048"]
    )
    parser.add_argument("--words", type=int, default=30_000, help="size of the vocabulary")
    parser.add_argument("--samples", type=int, default=4096, help="samples of the softmax")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--windows", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="or cuda")
    parser.add_argument("--out", type=Path, help="Markdown file to append the table to")
    return parser.parse_args()


def compare(
    config: BilmConfig,
    vocabulary: BilmVocabulary,
    windows: list[Window],
    arguments: argparse.Namespace,
    rates: Rates,
) -> list[list[Cell]]:
    """Rows of the table for one size."""

    def ours(precision: str) -> BilmModel:
        options = {"num_samples": arguments.samples, "dropout": 0.0, "precision": precision}
        return BilmModel(vocabulary, **vars(config), **options).to(arguments.device)

    models = {precision: ours(precision) for precision in rates}
    steps: dict[str, Step] = {
        name: training_step(m, partial(_loss, m)) for name, m in models.items()
    }
    theirs = AllennlpBilm(config, vocabulary.get_vocab_size(NAMESPACE), arguments.samples)
    theirs.to(arguments.device)
    steps[PEERS[0]] = training_step(theirs, theirs)
    passes = {str(name): partial(time_over, step, windows) for name, step in steps.items()}
    label = f"{size_name(config)}, {arguments.batch_size} rows"
    seconds = take_turns(passes, arguments.rounds + 1, label)

    words = sum(window["targets"][0].numel() for window in windows)
    speeds = {name: [words / value for value in values[1:]] for name, values in seconds.items()}
    operations = sum(operations_of(window, config, arguments.samples) for window in windows)
    rows: list[list[Cell]] = []
    for precision, rate in rates.items():
        values = speeds[precision]
        share = statistics.median(values) / words * operations / rate
        spread = f"{min(values):,.0f} to {max(values):,.0f}"
        rows.append(
            [
                *(size_name(config), precision, median_cell(values), spread),
                *peer_cells(values, speeds, PEERS),
                f"{share:.0%}",
            ]
        )
    return rows


def operations_of(window: Window, config: BilmConfig, samples: int) -> int:
    characters = window["words"]
    lengths = ((characters > 0) & (characters != PADDING_ID)).sum(1)
    return step_operations(config, window["targets"][0].numel(), lengths, samples)


def _loss(model: BilmModel, text: Window) -> torch.Tensor:
    return model(text)["loss"]


def training_step(model: torch.nn.Module, loss_of: Callable[[Window], torch.Tensor]) -> Step:
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01, initial_accumulator_value=1.0)
    if isinstance(model, BilmModel):  # as the trainer `bilm` does
        model.softmax.sparse = takes_sparse_gradients(optimizer)

    def step(window: Window) -> None:
        optimizer.zero_grad()
        loss_of(window).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()

    return step


if __name__ == "__main__":
    main()
