"""`import elmo_plugin` costs nothing; its names need torch, NumPy, h5py and tqdm only."""

import subprocess
import sys
from pathlib import Path

import elmo_plugin
from tests.helpers.command_line import run_process

NOT_NEEDED = {"allennlp", "transformers", "spacy", "scipy", "sklearn", "matplotlib"}
IMPORT = """
before = set(sys.modules)
import elmo_plugin
print(*set(sys.modules) - before)
"""


def test_the_package_imports_nothing() -> None:
    # With -S, site-packages' own start-up files do not import the package first.
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path}\n{IMPORT}"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["elmo_plugin"]


def test_names_need_no_allennlp(tmp_path: Path) -> None:
    code = f"from elmo_plugin import {', '.join(elmo_plugin.__all__)}"
    found = run_process(tmp_path, code=code, blocked=NOT_NEEDED)
    assert found.status == 0, found.errors


def test_public_names() -> None:
    assert set(elmo_plugin.__all__) == {
        *("Bilm", "BilmConfig", "Elmo", "Embedder", "ScalarMix", "__version__"),
        *("batch_to_ids", "load_bilm", "load_pretrained_bilm", "open_vectors", "save_bilm"),
    }
    assert set(elmo_plugin.__all__) <= set(dir(elmo_plugin))
    assert elmo_plugin.Bilm.__module__ == "elmo_plugin.layers.bilm"
