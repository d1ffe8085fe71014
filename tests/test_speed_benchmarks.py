"""Benchmarks of speed: peers compute the same, operations are counted right, and all tables run."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import lstm_layers
import numpy
import pytest
import run_all
import torch
from operations import lstm_operations, step_operations
from peers.plain import plain_layers
from sentences import read, write_generated
from sizes import TINY as CONFIG
from speed_summary import summary_rows
from speed_tables import append_table, peer_cells, peer_columns
from tables_by_size import BATCHES, by_length
from torch.utils.flop_counter import FlopCounterMode

from elmo_plugin.layers import Bilm, BilmConfig, batch_to_ids
from elmo_plugin.layers.language_model import LanguageModel
from elmo_plugin.layers.softmax import Softmax

ROOT = Path(__file__).parent.parent
IDS = batch_to_ids([["Two", "dogs", "barked"], ["Yes"], ["The", "rain", "stopped", "at", "noon"]])


@torch.no_grad()
def test_lstm_layers_of_all_peers_are_equal() -> None:
    batch = lstm_layers.random_inputs(IDS, CONFIG.projection_dim)
    runs = lstm_layers.implementations(CONFIG, "cpu")
    for peer in lstm_layers.PEERS:
        torch.testing.assert_close(runs[peer](batch), runs["float32"](batch))


@torch.no_grad()
def test_lstm_operations_are_those_that_torch_counts() -> None:
    batch = lstm_layers.random_inputs(IDS, CONFIG.projection_dim)
    with FlopCounterMode(display=False) as counter:
        lstm_layers.implementations(CONFIG, "cpu")["plain loop"](batch)
    assert counter.get_total_flops() == sum(batch.batch_sizes) * lstm_operations(CONFIG)


def test_operations_of_a_step_are_those_that_torch_counts() -> None:
    # Width 1 over words of two characters: windows on padding are few, and not counted.
    config = BilmConfig(
        filters=((1, 6),), num_highways=1, cell_dim=8, projection_dim=4, max_characters=3
    )
    words, rows, steps, samples = 5, 2, 3, 7
    model = LanguageModel(Bilm(config), Softmax(20, config.projection_dim), num_samples=samples)
    characters = torch.randint(1, 200, (words, 3))
    inputs, targets = (torch.randint(words, (2, rows, steps)) for _ in range(2))
    with FlopCounterMode(display=False) as counter, plain_layers():
        states = model.bilm.zero_states(rows)
        model.train()(characters, inputs, targets, states).loss.backward()
    counted = step_operations(config, rows * steps, torch.full((words,), 3), samples)
    assert counted == pytest.approx(counter.get_total_flops(), rel=0.05)


def test_summary_has_the_ratio_of_each_round(tmp_path: Path) -> None:
    speeds = {"A": [50.0, 10.0, 20.0], "B": [1.0, 2.0, 4.0]}
    ours = [100.0, 80.0, 80.0]
    peers = ["A", "missing", "B"]
    speed_columns = peer_columns(peers, "tokens/s")
    columns = ["size", "sentences", "tokens/s", *speed_columns, "share of the matrix rate"]
    for words in (1, 2):
        rows = [["small", words, "80", *peer_cells(ours, speeds, peers), "7%"]]
        append_table(f"Speed {words}", columns, rows, {}, tmp_path / "speed.md")
    found = summary_rows([tmp_path / "speed.md", tmp_path / "missing.md"])
    expected = [
        [f"Speed {words}, small, {words} sentences", peer, *spread_of(ours, speeds[peer]), "7%"]
        for words in (1, 2)
        for peer in speeds
    ]
    assert [row[1:] for row in found] == [row[1:] for row in expected]
    for row, (label, *_) in zip(found, expected):
        assert str(row[0]).endswith(str(label))  # "Draft: " where code is not committed


def spread_of(ours: list[float], peer: list[float]) -> list[float]:
    ratios = numpy.array(ours) / numpy.array(peer)
    return [round(float(value), 2) for value in (numpy.median(ratios), ratios.min(), ratios.max())]


@pytest.mark.parametrize("size, number", BATCHES.items())
def test_batches_hold_neighbors_in_order_of_length(size: int, number: int) -> None:
    generator = random.Random(0)
    text = [["word"] * generator.randint(1, 60) for _ in range(1000)]
    chosen = by_length(text, size, number)
    batches = [[len(s) for s in chosen[i : i + size]] for i in range(0, len(chosen), size)]
    assert len(batches) == number
    for lengths in batches:
        assert len(lengths) == size
        # All sentences of the lengths between are in the batch.
        between = range(min(lengths) + 1, max(lengths))
        assert sum(n in between for n in lengths) == sum(len(s) in between for s in text)
    # From short to long ones.
    means = [statistics.mean(lengths) for lengths in batches]
    assert means == sorted(means)
    assert means[0] < 15 and means[-1] > 45


def test_generated_words_are_as_frequent_as_in_text(tmp_path: Path) -> None:
    write_generated(tmp_path / "text.txt", 2000)
    counts = Counter(word for sentence in read(str(tmp_path / "text.txt")) for word in sentence)
    total = sum(counts.values())
    assert 15 < total / 2000 < 25
    assert sum(count for _, count in counts.most_common(100)) / total == pytest.approx(0.4, abs=0.1)


def test_refuses_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (2.0, 0.0, 0.0))
    monkeypatch.setattr(run_all, "MINUTES_TO_WAIT", 0)
    with pytest.raises(SystemExit, match=r"expected an idle machine, found a load of 2.0"):
        run_all.check_machine()


def test_waits_until_the_machine_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    loads, waits = [2.0, 1.0, 0.3], []
    monkeypatch.setattr(os, "getloadavg", lambda: (loads[len(waits)], 0.0, 0.0))
    monkeypatch.setattr(time, "sleep", waits.append)
    run_all.wait_until_idle()
    assert len(waits) == 2


def run_quickly(folder: Path, *options: str) -> str:
    command = [sys.executable, "benchmarks/run_all.py", "--quick", "--results", str(folder)]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize(
    ("options", "folder"), [([], "results"), (["--quick"], "runs/benchmark/quick")]
)
def test_quick_tables_replace_no_results(
    options: list[str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["run_all.py", *options])
    assert run_all.parse_arguments().results == folder


@pytest.mark.slow
def test_one_table_and_its_summary(tmp_path: Path) -> None:
    (tmp_path / "lstm_speed.md").write_text("of an earlier run")
    printed = run_quickly(tmp_path, "--only", "lstm_speed.md")
    table = (tmp_path / "lstm_speed.md").read_text()
    assert table.startswith("# LSTM layers of a biLM") and "- Code: " in table
    label = "LSTM layers of a biLM, without character CNN, 12 / 8, 16 sentences, bfloat16"
    assert f"{label} | torch.nn.LSTM |" in printed
    assert f"{label} | torch.nn.LSTM |" in (tmp_path / "speed.md").read_text()


@pytest.mark.slow
def test_allocation_of_memory_is_timed_on_fixtures() -> None:
    command = [sys.executable, "benchmarks/memory_allocation.py", "sst5"]
    done = subprocess.run(
        [*command, "--updates", "1", "--rounds", "1"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| sst5")]
    assert [row[1] for row in rows] == ["baseline", "elmo"]
    assert all(0 < float(row[2]) < 60 and 0 < float(row[5]) < 60 for row in rows)


@pytest.mark.slow
def test_all_tables_and_their_summary(tmp_path: Path) -> None:
    run_quickly(tmp_path)
    assert all((tmp_path / name).exists() for name in run_all.TABLES if "." in name)
    assert (tmp_path / "growth.md").exists()
    rows = json.loads((tmp_path / "speed.json").read_text())["rows"]
    assert {"AllenNLP", "torch.nn.LSTM", "plain loop"} <= {row["peer"] for row in rows}
    for row in rows:
        assert 0 < row["smallest"] <= row["ratio"] <= row["largest"]
