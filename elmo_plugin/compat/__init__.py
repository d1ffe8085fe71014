"""Lets AllenNLP 2.10.1, archived in 2022, run on today's Python and libraries.

Much of what needs mending happens while `allennlp` is being imported, before it would load any
plugin. So `elmo_plugin.pth`, which Python reads at start-up, installs the import hook below. A
program that never imports AllenNLP is left as it was, and starts about two milliseconds later.
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

TYPE_CHECKING = False  # Spelled out, for importing `typing` would take longer than all the rest.
if TYPE_CHECKING:
    from collections.abc import Sequence


class PatchingFinder:
    """Has the other finders find an AllenNLP module, then runs its patches around its execution."""

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        if not name.startswith("allennlp"):
            return None
        from elmo_plugin.compat import patches

        if name not in patches.PATCHES:
            return None
        others = (finder for finder in sys.meta_path if not isinstance(finder, PatchingFinder))
        specs = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            execute = patches.patched(spec.loader.exec_module)
            spec.loader.exec_module = execute  # type: ignore[assignment, method-assign]
        return spec


def install() -> None:
    """Puts the hook first in line, once."""
    if not any(isinstance(finder, PatchingFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, PatchingFinder())
