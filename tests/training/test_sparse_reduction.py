"""Gradients of the softmax in distributed trainings: only rows that have one are exchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.training.callbacks import TrainerCallback
from torch import distributed

from elmo_plugin.training.sparse_reduction import average_rows
from tests.helpers.bilm_training import TINY, checkpointed_params
from tests.helpers.distributed import TWO_PROCESSES, fork_trainings, run_in_group_of_two

# Of each process: unequal numbers of rows, repeated and common ones, and none.
CASES: list[list[list[int]]] = [[[5, 1, 5], [1]], [[2, 3], []], [[], []]]


def _gradient(rows: list[int], rank: int) -> torch.Tensor:
    indices = torch.tensor([rows], dtype=torch.long)
    values = torch.arange(1.0, 1 + 2 * len(rows)).view(-1, 2) + 100 * rank
    return torch.sparse_coo_tensor(indices, values, (7, 2), check_invariants=True)


def test_average_of_two_processes(tmp_path: Path) -> None:
    def average(rank: int) -> None:
        for case, rows in enumerate(CASES):
            weight = torch.nn.Parameter(torch.zeros(7, 2))
            weight.grad = _gradient(rows[rank], rank)
            average_rows(weight)
            torch.save(weight.grad, tmp_path / f"{case}-{rank}.pt")

    run_in_group_of_two(average, tmp_path)
    for case, rows in enumerate(CASES):
        expected = sum(_gradient(of_one, rank).to_dense() for rank, of_one in enumerate(rows)) / 2
        for rank in range(2):
            found = torch.load(tmp_path / f"{case}-{rank}.pt", weights_only=True)
            assert found.is_sparse
            assert found.coalesce().indices().tolist() == [sorted({*rows[0], *rows[1]})]
            torch.testing.assert_close(found.to_dense(), expected)


@TrainerCallback.register("record_layout")
class RecordLayout(TrainerCallback):
    """Write whether the gradient of the softmax was sparse, in each process."""

    def on_batch(self, trainer: Any, *args: Any, is_training: bool = True, **kwargs: Any) -> None:
        if is_training:
            layout = trainer.model.softmax.weight.grad.layout
            with Path(self.serialization_dir, f"layouts-{distributed.get_rank()}").open(
                "a"
            ) as file:
                file.write(f"{layout}\n")


def test_training_equals_that_of_dense_gradients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork_trainings(monkeypatch)
    optimizer = {"type": "adagrad", "lr": 0.2, "initial_accumulator_value": 1.0}
    trained: list[dict[str, Any]] = []
    # With weight decay, however small, gradients are dense.
    for decay in (0.0, 1e-30):
        changes = {
            **{**TINY, **TWO_PROCESSES, "model.num_samples": 20, "trainer.num_epochs": 1},
            **{"trainer.optimizer": {**optimizer, "weight_decay": decay}},
            **{"trainer.callbacks": ["record_layout"]},
        }
        folder = tmp_path / str(decay)
        train_model(checkpointed_params(changes), str(folder))
        trained.append(torch.load(folder / "best.th", weights_only=True))
        layout = str(torch.strided if decay else torch.sparse_coo)
        for rank in range(2):
            assert {*(folder / f"layouts-{rank}").read_text().splitlines()} == {layout}
    sparse, dense = trained
    torch.testing.assert_close(sparse, dense, rtol=1e-5, atol=1e-6)


def test_training_with_a_frozen_softmax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fork_trainings(monkeypatch)
    optimizer = {"type": "adagrad", "lr": 0.2}
    changes = {
        **{**TINY, **TWO_PROCESSES, "model.num_samples": 20, "trainer.num_epochs": 2},
        **{"trainer.optimizer": optimizer, "trainer.no_grad": ["softmax"]},
    }
    train_model(checkpointed_params(changes), str(tmp_path / "run"))
    first, second = (
        torch.load(file, weights_only=True)
        for file in sorted((tmp_path / "run").glob("model_state_*.th"))
    )
    changed = {name for name, weight in first.items() if not torch.equal(weight, second[name])}
    assert changed and not any(name.startswith("softmax") for name in changed)
