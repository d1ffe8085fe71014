"""
Sphinx configuration. `make docs` builds the site into build/docs from the repository's root, so
that links between docs/, examples/ and results/ are the same here and on a code host.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "_extensions")]

import elmo_plugin  # noqa: E402  (found through the path above)

project = "elmo_plugin"
author = "The elmo_plugin developers"
version = release = elmo_plugin.__version__

root_doc = "docs/index"
include_patterns = ["docs/**.md", "examples/**.md", "results/**.md", "CHANGELOG.md"]
exclude_patterns = [".*", "build", "demo", "elmo_plugin", "fixtures", "results/README.md"]
exclude_patterns += ["results/runs", "results/version_0.2.0/runs", "runs", "tests"]
exclude_patterns += ["results/*_speed.md", "results/*_speed_million.md", "results/growth.md"]
exclude_patterns += ["results/memory_allocation.md", "results/gpu/*"]  # included by docs/speed.md

extensions = [
    "sphinx.ext.autodoc",
    "myst_nb",
    "sphinx_copybutton",
    "markdown_docstrings",
    "command_help",
]
# An unresolved reference is an error; types of other libraries have no page here.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(torch|numpy|allennlp|typing|collections|pathlib)\..*")]
smartquotes = False  # They would change quoted values.

myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # Some tables in results/ begin with a second-level heading.

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"  # Docstrings name types, with their shapes.
autodoc_preserve_defaults = True

# Each notebook runs whenever the site is built; an error ends the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_output_stderr = "remove"  # progress bars

html_theme = "furo"
html_title = "elmo_plugin"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_extra_path = ["_root", "../results/report.html"]
html_show_sphinx = html_show_copyright = html_use_index = False
html_copy_source = False
