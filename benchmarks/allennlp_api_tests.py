"""
Runs AllenNLP's own tests of `Elmo`, `batch_to_ids` and `ElmoEmbedder` with the import lines changed
to elmo_plugin.allennlp_api:

    pip download --no-deps allennlp==0.9.0
    python benchmarks/allennlp_api_tests.py allennlp-2.10.1-tests.tar.gz \\
        --wheel allennlp-0.9.0-py3-none-any.whl

The archive is that of allennlp_tests.py; the wheel holds the tests of `ElmoEmbedder`, which
AllenNLP 1.0 removed, and of the command `elmo` built on it. They run twice: with the default and
with `initial_state="carried"`, AllenNLP's own. allennlp_api_tests.txt lists the tests that are
deselected, and why. Exits with 1 if a test fails.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

from allennlp_tests import OUTCOMES, deselected, run_folder

DESELECTED = Path(__file__).with_suffix(".txt")
NEEDS_STATE = "Needs carried state"
ELMO_TESTS = Path("tests/modules/elmo_test.py")
EMBEDDER_TESTS = Path("tests/commands/elmo_test.py")

CARRIED = """
from functools import partial
from elmo_plugin.allennlp_api import Elmo, ElmoEmbedder, _ElmoBiLm, _ElmoCharacterEncoder

Elmo, ElmoEmbedder, _ElmoBiLm = (
    partial(cls, initial_state="carried") for cls in (Elmo, ElmoEmbedder, _ElmoBiLm)
)
"""
COMMAND = """
import argparse
from elmo_plugin.allennlp_api import ElmoEmbedder

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("input_file", type=argparse.FileType("r", encoding="utf-8"))
    parser.add_argument("output_file")
    for output_format in ("all", "top", "average"):
        flag = f"--{output_format}"
        parser.add_argument(flag, dest="format", action="store_const", const=output_format)
    parser.add_argument("--options-file")
    parser.add_argument("--weight-file")
    parser.add_argument("--forget-sentences", action="store_true")
    parser.add_argument("--use-sentence-keys", action="store_true")
    arguments = parser.parse_args()
    ElmoEmbedder(arguments.options_file, arguments.weight_file).embed_file(
        arguments.input_file,
        arguments.output_file,
        arguments.format,
        forget_sentences=arguments.forget_sentences,
        use_sentence_keys=arguments.use_sentence_keys,
    )
"""
"""Flags of AllenNLP 0.9's command `elmo`, for the tests of the files that it writes."""

CONFTEST = """
LEFT_OUT = {left_out}

def pytest_collection_modifyitems(items):
    items[:] = [i for i in items if not {{i.nodeid, i.parent.nodeid}} & LEFT_OUT]
"""
"""Unlike pytest's `--deselect`, keeps tests whose names only begin like one of the list."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("archive", type=Path, help="AllenNLP's tests and fixtures, a .tar.gz")
    parser.add_argument("--wheel", type=Path, help="AllenNLP 0.9.0")
    arguments = parser.parse_args()
    failed = 0
    for state in ("zero", "carried"):
        with tempfile.TemporaryDirectory() as folder:
            tests = extract(Path(folder), arguments.archive, arguments.wheel)
            change_imports(Path(folder), tests, state)
            (Path(folder) / "conftest.py").write_text(CONFTEST.format(left_out=left_out(state)))
            runs = [run_folder(sys.executable, Path(folder), str(test)) for test in tests]
            counts = Counter(itertools.chain(*runs))
        print(json.dumps({"state": state, **{o: counts[o] for o in OUTCOMES}}), flush=True)
        failed += counts["failed"]
    sys.exit(failed > 0)


def extract(folder: Path, archive: Path, wheel: Path | None) -> list[Path]:
    """Extract tests and fixtures; return the files to run."""
    with tarfile.open(archive) as members:
        members.extractall(folder, filter="data")
    if wheel is None:
        return [ELMO_TESTS]
    with zipfile.ZipFile(wheel) as members_of_wheel:
        tests = members_of_wheel.read(f"allennlp/{EMBEDDER_TESTS}").decode("utf-8")
    # AllenNLP's test cases were those of unittest then, and are pytest's now.
    (folder / EMBEDDER_TESTS).write_text(tests.replace("setUp", "setup_method"), encoding="utf-8")
    return [ELMO_TESTS, EMBEDDER_TESTS]


def change_imports(folder: Path, tests: list[Path], state: str) -> None:
    """Change the import lines of the tests, and of nothing else in them."""
    (folder / "carried_api.py").write_text(CARRIED, encoding="utf-8")
    (folder / "old_command.py").write_text(COMMAND, encoding="utf-8")
    api = "elmo_plugin.allennlp_api" if state == "zero" else "carried_api"
    imports = {
        "from allennlp.modules.elmo import ": f"from {api} import ",
        "from allennlp.commands.elmo import ": f"from {api} import ",
        "from allennlp.commands import main": "from old_command import main",
        "from allennlp.tests.": "from tests.",
    }
    for test in tests:
        text = (folder / test).read_text(encoding="utf-8")
        for old, new in imports.items():
            text = text.replace(f"\n{old}", f"\n{new}")
        (folder / test).write_text(text, encoding="utf-8")


def left_out(state: str) -> set[str]:
    """Return the tests, and classes of tests, that are not run from this state."""
    reasons = deselected(DESELECTED).items()
    return {t for t, reason in reasons if state == "zero" or not reason.startswith(NEEDS_STATE)}


if __name__ == "__main__":
    main()
