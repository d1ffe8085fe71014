"""CoVe files against PyTorch's two-layer LSTM."""

import pickle
import re
from pathlib import Path

import pytest
import torch

from elmo_plugin.weights.cove_file import load_cove
from tests.helpers.cove import write_cove


def test_published_file_equals_pytorch_lstm(tmp_path: Path) -> None:
    lstm = write_cove(tmp_path / "cove.pth")
    vectors = torch.randn(2, 5, 6)

    cove = load_cove(tmp_path / "cove.pth")

    assert (cove.input_dim, cove.hidden_dim, cove.training) == (6, 4, False)
    layers = cove(vectors, torch.ones(2, 5, dtype=torch.bool))
    torch.testing.assert_close(layers[1], lstm(vectors)[0])


def test_every_misfit_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "cove.pth"
    state = write_cove(path).state_dict()
    state["extra_l0"] = state.pop("bias_hh_l1_reverse")
    state["weight_ih_l1"] = state["weight_ih_l1"][:, 1:]
    torch.save(state, path)
    with pytest.raises(ValueError, match=re.escape(str(path))) as error:
        load_cove(path)
    assert "missing bias_hh_l1_reverse of shape (16,)" in str(error.value)
    assert "unexpected extra_l0" in str(error.value)
    assert "weight_ih_l1: expected shape (16, 8), found (16, 7)" in str(error.value)


def test_other_keys_raise(tmp_path: Path) -> None:
    torch.save({"w": torch.ones(2)}, tmp_path / "cove.pth")
    with pytest.raises(ValueError, match="missing weight_ih_l0"):
        load_cove(tmp_path / "cove.pth")


def test_sizes_are_checked_before_memory_is_allocated(tmp_path: Path) -> None:
    state = write_cove(tmp_path / "cove.pth").state_dict()
    state["weight_ih_l0"] = torch.zeros(1).expand(10**9, 10**9)
    torch.save(state, tmp_path / "cove.pth")
    with pytest.raises(ValueError, match="expected tensors by name, all of them in the file"):
        load_cove(tmp_path / "cove.pth")
    state["weight_ih_l0"], state["weight_hh_l0"] = torch.zeros(1, 10**6), torch.zeros(1, 10**6)
    torch.save(state, tmp_path / "cove.pth")
    with pytest.raises(ValueError, match=r"weight_hh_l0: expected shape \(4000000, 1000000\)"):
        load_cove(tmp_path / "cove.pth")


def test_weights_that_are_not_finite_raise(tmp_path: Path) -> None:
    state = write_cove(tmp_path / "cove.pth").state_dict()
    state["bias_ih_l1"][2] = torch.nan
    torch.save(state, tmp_path / "cove.pth")
    with pytest.raises(ValueError, match=r"cove.pth: bias_ih_l1: expected finite numbers"):
        load_cove(tmp_path / "cove.pth")


def test_changed_bytes_raise_or_change_nothing(tmp_path: Path) -> None:
    """PyTorch itself does not detect changed weights."""
    path, changed = tmp_path / "cove.pth", tmp_path / "changed.pth"
    write_cove(path, 4, 3)
    expected = load_cove(path).state_dict()
    content = path.read_bytes()
    for place in range(0, len(content), 13):
        changed.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        try:
            found = load_cove(changed).state_dict()
        except ValueError as error:
            assert str(changed) in str(error)
        else:
            assert all(torch.equal(found[name], weight) for name, weight in expected.items())


class Touch:
    """Writes a file if it is executed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return open, (str(self.path), "w")


def test_code_in_a_file_is_not_executed(tmp_path: Path) -> None:
    made = tmp_path / "made"
    (tmp_path / "cove.pth").write_bytes(pickle.dumps(Touch(made), protocol=2))
    with pytest.raises(ValueError, match="expected weights saved by PyTorch"):
        load_cove(tmp_path / "cove.pth")
    assert not made.exists()


def test_list_raises(tmp_path: Path) -> None:
    torch.save([torch.ones(2)], tmp_path / "cove.pth")
    with pytest.raises(ValueError, match=r"expected tensors by name, .* found list"):
        load_cove(tmp_path / "cove.pth")


def test_tensors_without_values_raise(tmp_path: Path) -> None:
    file = tmp_path / "cove.pth"
    torch.save({"weight_ih_l0": torch.empty(12, 3, device="meta")}, file)
    with pytest.raises(ValueError, match=f"{file}: expected tensors by name"):
        load_cove(file)
