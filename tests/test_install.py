"""The installed package: start-up hook, `elmo` and AllenNLP's commands as processes."""

import json
import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures" / "compat"
CONFIG = str(FIXTURES / "tagger.jsonnet")
DEV = str(FIXTURES / "dev.conll")
BIN = Path(sys.executable).parent

# Python imports sitecustomize at start-up, in spawned processes too.
NO_NETWORK = """
import sys
def refuse(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        print("NETWORK:", event, args, file=sys.stderr)
        raise OSError("no network in this test")
sys.addaudithook(refuse)
"""
# In one process, because imports take most of a command's time.
ONE_AFTER_ANOTHER = """
import json, sys
from allennlp.__main__ import run
for sys.argv in json.loads(sys.argv[1]):
    run()
"""
# torch cannot sum sparse gradients over processes.
DISTRIBUTED = {
    "distributed": {"cuda_devices": [-1, -1]},
    "model.text_field_embedder.token_embedders.tokens.sparse": False,
    "trainer.optimizer": "adam",
}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "sitecustomize.py").write_text(NO_NETWORK)
    return {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "FIXTURES": str(FIXTURES),
        "OMP_NUM_THREADS": "1",
    }


def run(environment: dict[str, str], *command: str) -> str:
    """Return what a command printed, after checking that it has no warning or error."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed
    signs = ("Warning", "WARNING", "ERROR", "CRITICAL", "Traceback", "NETWORK", "nltk_data")
    assert [line for line in printed.splitlines() if any(sign in line for sign in signs)] == []
    return printed


def test_python_starts_with_the_hook_alone() -> None:
    program = "import sys; print(*sorted(m for m in sys.modules if m.startswith('elmo_plugin')))"
    printed = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert printed.split() == ["elmo_plugin", "elmo_plugin.compat"]


def test_torch_is_left_alone_without_allennlp() -> None:
    program = (
        "import torch; print(torch.load.__module__, torch.nn.utils.clip_grad_norm_.__module__)"
    )
    printed = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert printed.split() == ["torch.serialization", "torch.nn.utils.clip_grad"]


def test_uninstalling_takes_the_hook_away() -> None:
    assert "elmo_plugin.pth" in [str(file) for file in distribution("elmo_plugin").files or []]


def test_train_recover_evaluate_predict(environment: dict[str, str], tmp_path: Path) -> None:
    out, distributed = tmp_path / "out", tmp_path / "distributed"
    train = ["allennlp", "train", CONFIG, "-s", str(out)]
    run(environment, str(BIN / train[0]), *train[1:], "--include-package", "elmo_plugin")
    (tmp_path / "in.jsonl").write_text('{"sentence": "Mara opened Oslo."}\n')
    archive = str(out / "model.tar.gz")
    in_two_processes = ["--overrides", json.dumps(DISTRIBUTED)]
    commands = [
        [*train, "--recover"],
        ["allennlp", "evaluate", archive, DEV],
        ["allennlp", "predict", archive, str(tmp_path / "in.jsonl")],
        ["allennlp", "train", CONFIG, "-s", str(distributed), *in_two_processes],
    ]
    printed = run(environment, sys.executable, "-c", ONE_AFTER_ANOTHER, json.dumps(commands))
    prediction = next(line for line in printed.splitlines() if line.startswith("prediction:"))
    words = json.loads(prediction.removeprefix("prediction:"))["words"]
    assert words == ["Mara", "opened", "Oslo", "."]
    assert (distributed / "out_worker1.log").exists()
    assert (distributed / "model.tar.gz").exists()
