"""Files with a checksum."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common.plugins import import_plugins

from elmo_plugin.training.state_file import load_state, save_state

import_plugins()


class TestStateFile:
    @pytest.fixture
    def state(self) -> dict[str, Any]:
        return {"weights": torch.randn(3, 4), "nested": {"epoch": 1, "list": [1.5, "a"]}}

    @pytest.fixture
    def file(self, state: dict[str, Any], tmp_path: Path) -> Path:
        save_state(state, tmp_path / "state.th")
        return tmp_path / "state.th"

    def test_round_trip_is_exact(self, file: Path, state: dict[str, Any]) -> None:
        for read in (load_state(file), torch.load(file, weights_only=True)):
            assert torch.equal(read["weights"], state["weights"])
            assert read["nested"] == state["nested"]

    def test_every_changed_byte_raises(self, file: Path) -> None:
        content = file.read_bytes()
        for position in range(len(content)):
            changed = bytearray(content)
            changed[position] ^= 1 << position % 8
            file.write_bytes(changed)
            with pytest.raises(ValueError, match=str(file)):
                load_state(file)

    def test_other_content_has_another_checksum(self, tmp_path: Path) -> None:
        checksums = [save_state({"a": value}, tmp_path / "file") for value in (1, 2, 1)]
        assert checksums[0] == checksums[2] != checksums[1]
        with pytest.raises(ValueError, match="expected the checksum"):
            load_state(tmp_path / "file", checksums[1])
