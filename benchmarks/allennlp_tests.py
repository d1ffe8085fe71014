"""
Runs AllenNLP's own tests with elmo_plugin's import hook:

    python benchmarks/allennlp_tests.py allennlp-2.10.1-tests.tar.gz --out results/allennlp_tests.md

The archive holds `tests` and `test_fixtures` of AllenNLP's repository (`git archive --format=tar.gz
-o allennlp-2.10.1-tests.tar.gz v2.10.1 tests test_fixtures`). Each interpreter needs elmo_plugin,
AllenNLP, pytest, pytest-timeout, flaky and responses. allennlp_tests.txt lists the tests that are
deselected, and why. Exits with 1 if a test fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from elmo_plugin.reporting.provenance import with_provenance
from elmo_plugin.reporting.tables import Table

DESELECTED = Path(__file__).with_suffix(".txt")
TIMEOUT_SECONDS = 600
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
VERSIONS = """
import json, platform, sys, torch
from elmo_plugin.compat import PatchingFinder
assert any(isinstance(finder, PatchingFinder) for finder in sys.meta_path), "no import hook"
print(json.dumps({"Python": platform.python_version(), "torch": torch.__version__}))
"""
OUTCOMES = ("passed", "failed", "skipped")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("archive", type=Path, help="AllenNLP's tests and fixtures, a .tar.gz")
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="interpreters")
    parser.add_argument("--out", type=Path, help="Markdown file for the counts")
    arguments = parser.parse_args()
    rows = []
    for python in arguments.python:
        with tempfile.TemporaryDirectory() as folder, tarfile.open(arguments.archive) as archive:
            archive.extractall(folder, filter="data")
            rows.append(run_tests(python, Path(folder)))
        print(json.dumps(rows[-1]), flush=True)
    if arguments.out:
        arguments.out.write_text(describe(rows), encoding="utf-8")
    sys.exit(any(row["failed"] for row in rows))


def run_tests(python: str, folder: Path) -> dict[str, object]:
    """Run the tests folder by folder, each in a process of its own."""
    versions = subprocess.run([python, "-c", VERSIONS], check=True, capture_output=True, text=True)
    counts: Counter[str] = Counter()
    for path in sorted((folder / "tests").iterdir()):
        if path.is_dir() or path.name.endswith("_test.py"):
            counts.update(run_folder(python, folder, str(path.relative_to(folder))))
    return {**json.loads(versions.stdout), **{outcome: counts[outcome] for outcome in OUTCOMES}}


def run_folder(python: str, folder: Path, path: str) -> Iterator[str]:
    """Yield the outcome of each test of a directory or file, and print the tests that fail."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    options = ["-q", "-p", "no:cacheprovider", f"--timeout={TIMEOUT_SECONDS}"]
    options += [f"--{'deselect' if '::' in test else 'ignore'}={test}" for test in deselected()]
    subprocess.run(
        [python, "-m", "pytest", path, *options, f"--junitxml={report}"],
        cwd=folder,
        env={**os.environ, **OFFLINE, "ALLENNLP_SRC_DIR": str(folder)},
        capture_output=True,
    )
    if not report.exists():
        print(f"failed: {path}: no report", flush=True)
        yield "failed"
        return
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            print(f"failed: {case.get('classname')}.{case.get('name')}", flush=True)
            yield "failed"
        else:
            yield "passed" if case.find("skipped") is None else "skipped"


def deselected(path: Path = DESELECTED) -> dict[str, str]:
    """Return the reason for each deselected test, test class or file of a list."""
    reasons: dict[str, str] = {}
    reason = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            reason = line.removeprefix("# ")
        elif line and (os.geteuid() == 0 or not reason.startswith("Fails for root")):
            reasons[line] = reason
    return reasons


def describe(rows: list[dict[str, object]]) -> str:
    """Return a table of the counts, with the numbers of deselected tests by reason."""
    columns = ["Python", "torch", *OUTCOMES]
    reasons = Counter(deselected().values())
    metadata = {"Entries of allennlp_tests.txt, which are not run, by reason": dict(reasons)}
    cells = [[str(row[column]) for column in columns] for row in rows]
    table = Table("AllenNLP's own tests, with elmo_plugin's import hook", columns, cells, metadata)
    return with_provenance(table).markdown()


if __name__ == "__main__":
    main()
