"""The gradient scale of mixed precision in a training run that is interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common.plugins import import_plugins
from allennlp.training import Trainer

from elmo_plugin.training.resumable_trainer import PROCESSES, ResumableTrainer
from elmo_plugin.training.state_file import load_state
from tests.helpers.interrupted_trainings import FIXTURES, InterruptSecondEpoch, tagger

import_plugins()

CHANGES: dict[str, Any] = {
    "trainer.type": "growing_scale",
    "trainer.checkpointer": {"type": "atomic"},
    "trainer.optimizer": "adam",
    "trainer.callbacks": ["interrupt_second_epoch"],
    "model.text_field_embedder.token_embedders.tokens.sparse": False,
}


@Trainer.register("growing_scale", constructor="from_partial_objects")
class GrowingScaleTrainer(ResumableTrainer):
    """Scales gradients on CPUs too, twice as much after each update."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._scaler: Any = torch.amp.GradScaler("cpu", init_scale=1.0, growth_interval=1)


def scale(directory: Path, epochs: int) -> float:
    """Return the gradient scale in the checkpoint after so many epochs."""
    (state,) = load_state(str(directory / f"training_state_e{epochs}_b0.th"))[PROCESSES]
    return state["scaler"]["scale"]


def test_scale_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(InterruptSecondEpoch, "active", True)
        train_model(tagger(FIXTURES, **CHANGES), str(tmp_path))
    first = scale(tmp_path, epochs=1)
    assert first > 1
    train_model(tagger(FIXTURES, **CHANGES), str(tmp_path), recover=True)
    # The second epoch has as many updates.
    assert scale(tmp_path, epochs=2) == first**2


@pytest.mark.parametrize("steps", [2, 3])
def test_losses_of_accumulated_batches_are_averaged(steps: int, tmp_path: Path) -> None:
    """The weights equal those without a scale; the last update of an epoch has fewer batches."""
    changes = {
        **CHANGES,
        "trainer.num_epochs": 1,
        "trainer.callbacks": [],
        "trainer.optimizer": {"type": "sgd", "lr": 0.01},
        "trainer.learning_rate_scheduler": None,
        "trainer.num_gradient_accumulation_steps": steps,
        "trainer.grad_norm": False,  # which would hide a factor
        "trainer.grad_clipping": None,
        "data_loader": {"batch_size": 1},
    }
    found = []
    for kind in ("growing_scale", "resumable"):
        model = train_model(tagger(FIXTURES, **{**changes, "trainer.type": kind}), tmp_path / kind)
        assert model is not None
        found.append(model.state_dict())
    torch.testing.assert_close(*found)
