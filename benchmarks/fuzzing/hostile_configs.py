"""Configurations that try to execute code."""

from __future__ import annotations

import json
import random
from typing import Any

from fuzzing.kind import MARKER


def make_hostile(rng: random.Random, data: bytes) -> bytes:
    """Put hostile objects into a configuration in JSON."""
    config = json.loads(data)
    rng.choice(_objects(config)).update(_hostile_object(rng))
    if rng.random() < 0.3:
        config[rng.choice(("model", "dataset_reader", "vocabulary"))] = _hostile_object(rng)
    return json.dumps(config).encode()


def _hostile_object(rng: random.Random) -> dict[str, Any]:
    """Return an object that writes the marker if it is constructed."""
    touch = f"touch {MARKER}"
    return rng.choice(
        (
            {"type": "os.system", "command": touch},
            {"type": "os.mkdir", "path": MARKER},
            {"type": "os.makedirs", "name": MARKER},
            {"type": "os.mkfifo", "path": MARKER},
            {"type": "posix.system", "command": touch},
            {"type": "subprocess.Popen", "args": ["touch", MARKER]},
            {"type": "subprocess.getoutput", "cmd": touch},
            {"type": "subprocess.check_call", "popenargs": [touch]},
            {"type": "builtins.open", "file": MARKER, "mode": "w"},
            {"type": "builtins.exec", "source": f"open({MARKER!r}, 'w')"},
            {"type": "pathlib.Path.touch", "self": MARKER},
            {"type": "shutil.rmtree", "path": "."},
            {"type": "shutil.copy", "src": "heldout.txt", "dst": MARKER},
            {"type": "logging.FileHandler", "filename": MARKER},
            {"type": "allennlp.common.util.os.system", "command": touch},
            {"type": "allennlp.commands.train.train_model_from_file"},
            {"type": "elmo_plugin.common.atomic_write.atomic_write", "path": MARKER},
            {"type": "torch.hub.load", "repo_or_dir": ".", "model": "x", "source": "local"},
            {"type": "timeit.timeit", "stmt": f"open({MARKER!r}, 'w')"},
        )
    )


def _objects(value: Any) -> list[dict[str, Any]]:
    inner = value.values() if isinstance(value, dict) else value
    below = [one for item in inner if isinstance(item, (dict, list)) for one in _objects(item)]
    return [value, *below] if isinstance(value, dict) else below
