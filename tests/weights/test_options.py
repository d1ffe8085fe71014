from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elmo_plugin.layers import BilmConfig
from elmo_plugin.weights.options import read_options, write_options
from tests.helpers.random_bilm import SMALL

# As published with the paper's model, but for the keys of its training.
PUBLISHED = """
{"lstm": {"use_skip_connections": true, "projection_dim": 512, "cell_clip": 3, "proj_clip": 3,
          "dim": 4096, "n_layers": 2},
 "char_cnn": {"activation": "relu",
              "filters": [[1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512], [7, 1024]],
              "n_highway": 2, "embedding": {"dim": 16}, "n_characters": 262,
              "max_characters_per_token": 50}}
"""


def _write(path: Path, options: Any) -> Path:
    path.write_text(json.dumps(options))
    return path


def test_the_published_options_are_the_defaults(tmp_path: Path) -> None:
    assert read_options(_write(tmp_path / "o", json.loads(PUBLISHED))) == BilmConfig()
    write_options(BilmConfig(), tmp_path / "written")
    assert json.loads((tmp_path / "written").read_text()) == json.loads(PUBLISHED)


@pytest.mark.parametrize("config", [
    SMALL,
    replace(SMALL, cell_clip=None, projection_clip=0.5, residual=False),
    replace(SMALL, activation="tanh", num_highways=0, max_characters=30),
])  # fmt: skip
def test_round_trip(config: BilmConfig, tmp_path: Path) -> None:
    write_options(config, tmp_path / "o")
    assert read_options(tmp_path / "o") == config


def test_optional_keys(tmp_path: Path) -> None:
    options = json.loads(PUBLISHED)
    for key in ("cell_clip", "proj_clip", "use_skip_connections"):
        del options["lstm"][key]
    options["char_cnn"]["n_characters"] = 261  # as in training
    options["n_train_tokens"] = 768648884
    expected = BilmConfig(cell_clip=None, projection_clip=None, residual=False)
    assert read_options(_write(tmp_path / "o", options)) == expected
    for clip in (0, 0.0, None):
        options["lstm"].update(cell_clip=clip, proj_clip=clip)
        assert read_options(_write(tmp_path / "o", options)) == expected


def test_no_highways_without_their_number(tmp_path: Path) -> None:
    """bilm-tf reads a missing number as none."""
    options = json.loads(PUBLISHED)
    del options["char_cnn"]["n_highway"]
    assert read_options(_write(tmp_path / "o", options)) == BilmConfig(num_highways=0)


REQUIRED = [
    "char_cnn.n_characters",
    "char_cnn.filters",
    "char_cnn.embedding.dim",
    "char_cnn.max_characters_per_token",
    "char_cnn.activation",
    "lstm.projection_dim",
    "lstm.dim",
    "lstm.n_layers",
]


def _section(options: Any, path: list[str]) -> Any:
    for key in path:
        options = options[key]
    return options


@pytest.mark.parametrize("key", REQUIRED)
def test_missing_key_raises(key: str, tmp_path: Path) -> None:
    options = json.loads(PUBLISHED)
    *sections, last = key.split(".")
    del _section(options, sections)[last]
    with pytest.raises(ValueError, match=rf"^{tmp_path}/o: expected the key {key}, found none$"):
        read_options(_write(tmp_path / "o", options))


BAD: list[tuple[str, Any]] = [
    ("char_cnn.n_characters", 300),
    ("char_cnn.n_characters", "262"),
    ("char_cnn.filters", 7),
    ("char_cnn.filters", {"1": 32}),
    ("char_cnn.filters", [[1, 32], [2]]),
    ("char_cnn.filters", [["1", "32"]]),
    ("char_cnn.filters", [[51, 32]]),
    ("char_cnn.embedding.dim", "16"),
    ("char_cnn.max_characters_per_token", 1),
    ("char_cnn.n_highway", None),
    ("char_cnn.activation", "gelu"),
    ("lstm.projection_dim", 512.5),
    ("lstm.dim", 0),
    ("lstm.n_layers", [2]),
    ("lstm.cell_clip", "3"),
    ("lstm.proj_clip", -1),
    ("lstm.use_skip_connections", "false"),
    ("lstm.use_skip_connections", None),
    # Sizes that no biLM has, which would take all memory or time.
    ("char_cnn.filters", [[1, 2**31]]),
    ("char_cnn.filters", [[1, 1]] * 10**5),
    ("char_cnn.filters", [[1, 10**6], [2, 10**6]]),
    ("char_cnn.embedding.dim", 2**31),
    ("char_cnn.max_characters_per_token", 2**31),
    ("char_cnn.n_highway", 10**6),
    ("char_cnn.n_characters", 10**4000),
    ("lstm.projection_dim", 10**19),
    ("lstm.dim", 10**4000),
    ("lstm.n_layers", 10**9),
    ("lstm.cell_clip", 1e308),
    ("lstm.cell_clip", 10**400),
    ("lstm.cell_clip", False),
    ("lstm.n_layers", True),
]


@pytest.mark.parametrize(("key", "value"), BAD)
def test_invalid_value_raises(key: str, value: Any, tmp_path: Path) -> None:
    options = json.loads(PUBLISHED)
    *sections, last = key.split(".")
    _section(options, sections)[last] = value
    with pytest.raises(ValueError, match=rf"^{tmp_path}/o: {key}: expected .* got ") as error:
        read_options(_write(tmp_path / "o", options))
    assert len(str(error.value)) < len(f"{tmp_path}") + 200


@pytest.mark.parametrize("options", [[], None, 3, {"char_cnn": []}, {"char_cnn": None}])
def test_other_json_raises(options: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"^{tmp_path}/o: expected the key char_cnn"):
        read_options(_write(tmp_path / "o", options))


def test_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "o").write_text(PUBLISHED, encoding="utf-8-sig")
    assert read_options(tmp_path / "o") == BilmConfig()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"cell_clip": 3', '"cell_clip": NaN', "expected numbers, found NaN"),
        ('"cell_clip": 3', '"cell_clip": -Infinity', "expected numbers, found -Infinity"),
        ('"dim": 4096', '"dim": 1, "dim": 4096', "expected each key once, found 'dim' twice"),
        ('"n_layers": 2', '"n_layers": 1e400', "lstm.n_layers: expected a whole .* got inf"),
        ("{", "[" * 10**5 + "{", "expected JSON, found: .*recursion"),
        ("{", " " * 2**20 + "{", "expected options of at most 1,048,576 bytes, found more"),
    ],
)
def test_ambiguous_json_raises(old: str, new: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "o").write_text(PUBLISHED.replace(old, new, 1))
    with pytest.raises(ValueError, match=f"^{tmp_path}/o: {message}"):
        read_options(tmp_path / "o")


@pytest.mark.parametrize("content", [b"", b"{", b"lstm: 3", b"\xff\xfe\x00", b"{'lstm': 3}"])
def test_other_than_json_raises(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "o").write_bytes(content)
    with pytest.raises(ValueError, match=rf"^{tmp_path}/o: expected JSON, found: "):
        read_options(tmp_path / "o")
