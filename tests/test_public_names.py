"""`import elmo_plugin` costs nothing; its names need torch, NumPy and h5py only."""

import json
import subprocess
import sys

import elmo_plugin

NOT_NEEDED = ("allennlp", "transformers", "spacy", "scipy", "sklearn", "matplotlib", "tqdm")
IMPORT = """
import json, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
before = set(sys.modules)
import elmo_plugin
imported = sorted(set(sys.modules) - before)
from elmo_plugin import {names}
print(json.dumps(imported))
"""


def test_the_package_imports_nothing_and_its_names_need_no_allennlp() -> None:
    code = IMPORT.format(blocked=NOT_NEEDED, names=", ".join(elmo_plugin.__all__))
    # With -S, site-packages' own start-up files do not import the package first.
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path}\n{code}"]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert found == ["elmo_plugin"]


def test_public_names() -> None:
    assert set(elmo_plugin.__all__) == {
        *("Bilm", "BilmConfig", "Elmo", "Embedder", "ScalarMix", "__version__"),
        *("batch_to_ids", "load_bilm", "load_pretrained_bilm", "open_vectors", "save_bilm"),
    }
    assert set(elmo_plugin.__all__) <= set(dir(elmo_plugin))
    assert elmo_plugin.Bilm.__module__ == "elmo_plugin.layers.bilm"
