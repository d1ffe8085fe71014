"""Linear probes of constructed vectors, and against logistic regression in PyTorch."""

import numpy
import pytest
import torch

from elmo_plugin.experiments.intrinsic.probes import PENALTY, linear_probe

GENERATOR = numpy.random.default_rng(0)
LABELS = GENERATOR.choice(["NOUN", "VERB", "ADJ"], size=600).tolist()
NOISE = GENERATOR.normal(size=(600, 8))
CLASSES = sorted(set(LABELS))
ONE_HOT = numpy.eye(3)[[CLASSES.index(label) for label in LABELS]]
TRAIN, TEST = slice(400), slice(400, 600)


def accuracy(vectors: numpy.ndarray) -> float:
    correct = linear_probe(vectors[TRAIN], LABELS[TRAIN], vectors[TEST], LABELS[TEST])
    return 100 * correct.mean()


def test_vectors_that_contain_the_label_score_highest() -> None:
    planted = numpy.hstack([NOISE, ONE_HOT])
    layers = {"noise": NOISE, "half": NOISE[:, :3] + 0.5 * ONE_HOT, "planted": planted}
    scores = {name: accuracy(vectors) for name, vectors in layers.items()}
    assert scores["planted"] == 100
    assert scores["noise"] < 50
    assert scores["noise"] < scores["half"] < scores["planted"]


def test_accuracy_does_not_depend_on_scale() -> None:
    vectors = NOISE[:, :3] + ONE_HOT
    assert accuracy(vectors) == accuracy(1e-3 * vectors + 5)


def test_accuracy_is_that_of_a_softmax_trained_in_pytorch() -> None:
    vectors = NOISE[:, :3] + ONE_HOT
    mean, sd = vectors[TRAIN].mean(0), vectors[TRAIN].std(0)
    x = torch.tensor((vectors - mean) / sd)
    y = torch.tensor([CLASSES.index(label) for label in LABELS])
    softmax = torch.nn.Linear(3, 3).double()
    optimizer = torch.optim.LBFGS(softmax.parameters(), max_iter=500)

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        entropy = torch.nn.functional.cross_entropy(softmax(x[TRAIN]), y[TRAIN], reduction="sum")
        value = entropy + PENALTY * softmax.weight.square().sum() / 2
        value.backward()
        return value

    optimizer.step(loss)
    right = softmax(x[TEST]).argmax(1) == y[TEST]
    assert accuracy(vectors) == pytest.approx(100 * right.double().mean().item())


def test_single_class() -> None:
    with pytest.raises(ValueError, match="at least two classes"):
        linear_probe(NOISE, ["NOUN"] * 600, NOISE, LABELS)


def test_numbers_of_labels_and_vectors_differ() -> None:
    with pytest.raises(ValueError, match="expected one label per vector, got 599 of 600"):
        linear_probe(NOISE, LABELS, NOISE, LABELS[1:])
