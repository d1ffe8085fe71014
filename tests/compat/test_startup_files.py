"""The files that Python reads at start-up, beside the package in site-packages."""

from pathlib import Path
from pkgutil import resolve_name

from elmo_plugin import compat

ROOT = Path(__file__).parents[2]


def test_start_file_names_what_the_pth_file_calls() -> None:
    """From Python 3.15 on, a .start file replaces the `import` lines of its .pth file (PEP 829)."""
    [entry_point] = (ROOT / "elmo_plugin.start").read_text().splitlines()
    assert resolve_name(entry_point) is compat.install
    assert "compat.install()" in (ROOT / "elmo_plugin.pth").read_text()
