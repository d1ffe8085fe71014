"""Sparse gradients and fused updates: the same trained weights."""

from pathlib import Path

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common.plugins import import_plugins
from allennlp.data import DataLoader, DatasetReader
from allennlp.training.optimizers import DenseSparseAdam

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.layers.softmax import Softmax
from elmo_plugin.training.bilm_trainer import BilmTrainer
from elmo_plugin.training.optimizers import fuse, takes_sparse_gradients
from tests.helpers.interrupted_trainings import bilm

import_plugins()

CONFIG = BilmConfig(filters=((1, 4), (2, 4)), projection_dim=4, cell_dim=6, num_highways=1)
WORDS = 40


def trained(sparse: bool) -> LanguageModel:
    """A language model after three steps of Adagrad with a sampled softmax."""
    torch.manual_seed(0)
    model = LanguageModel(Bilm(CONFIG), Softmax(WORDS, CONFIG.projection_dim), num_samples=5)
    model.softmax.sparse = sparse
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    words = batch_to_ids([["a", "b", "c"]], CONFIG.max_characters)[0]
    for _ in range(3):
        inputs, targets = torch.randint(0, 3, (2, 2, 4)), torch.randint(0, WORDS, (2, 2, 4))
        optimizer.zero_grad()
        model(words, inputs, targets).loss.backward()
        assert model.softmax.weight.grad is not None
        assert model.softmax.weight.grad.is_sparse == sparse
        optimizer.step()
    return model


def test_sparse_gradients_train_the_same_weights() -> None:
    dense, sparse = (trained(kind).state_dict() for kind in (False, True))
    for name, weight in dense.items():
        torch.testing.assert_close(sparse[name], weight, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [
        (torch.optim.Adagrad, True),
        (lambda p: torch.optim.Adagrad(p, weight_decay=0.1), False),
        (lambda p: DenseSparseAdam([("weight", p[0])]), True),
        (torch.optim.Adam, False),
    ],
)
def test_optimizers_that_are_said_to_take_sparse_gradients_do(optimizer, expected) -> None:  # type: ignore[no-untyped-def]
    weight = torch.nn.Parameter(torch.ones(3, 2))
    instance = optimizer([weight])
    assert takes_sparse_gradients(instance) == expected
    torch.nn.functional.embedding(torch.tensor([1]), weight, sparse=True).sum().backward()
    if expected:
        instance.step()
        assert weight[1, 0] != 1 and weight[0, 0] == 1
    else:
        with pytest.raises(RuntimeError):
            instance.step()


def test_fused_adam_comes_to_the_same_weights() -> None:
    weights = [torch.nn.Parameter(torch.linspace(-1, 1, 50)) for _ in range(2)]
    optimizers = [torch.optim.Adam([weight], lr=0.01) for weight in weights]
    fuse(optimizers[1])
    assert all(group["fused"] for group in optimizers[1].param_groups)
    for _ in range(5):
        for weight, optimizer in zip(weights, optimizers):
            optimizer.zero_grad()
            weight.square().sum().backward()
            optimizer.step()
    torch.testing.assert_close(weights[0], weights[1], atol=1e-6, rtol=1e-6)


def test_gradients_are_dense_again_with_another_optimizer(text: Path, tmp_path: Path) -> None:
    """Adam, which continues where Adagrad has trained, takes no sparse gradients."""
    params = bilm(text, **{"trainer.callbacks": [], "model.num_samples": 20})
    model = train_model(params, str(tmp_path / "trained"))
    assert model is not None and model.softmax.sparse
    params = bilm(text)
    reader = DatasetReader.from_params(params["dataset_reader"])
    path = params["train_data_path"]
    loader = DataLoader.from_params(params["data_loader"], reader=reader, data_path=path)
    loader.index_with(model.vocab)
    BilmTrainer(model, torch.optim.Adam(model.parameters()), loader, cuda_device=-1)
    assert not model.softmax.sparse
