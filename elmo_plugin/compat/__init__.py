"""Lets AllenNLP 2.10.1, archived in 2022, run on today's Python and libraries.

Much of what needs fixing happens while `allennlp` is imported, before it loads any plugin.
Therefore `elmo_plugin.pth`, which Python reads at start-up, installs an import hook. It adds about
two milliseconds to a program that never imports AllenNLP, and changes nothing there.

- `patches`: fixes for today's libraries
- `safety`: checks of the files that AllenNLP loads
- `recovery`: `--recover` and `--force` after a training run was killed at any moment
- `command_errors`: errors of one line, while a command runs and only then
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

TYPE_CHECKING = False  # Importing `typing` would take longer than all the rest.
if TYPE_CHECKING:
    from collections.abc import Sequence


class PatchingFinder:
    """Finds AllenNLP modules that have patches, by the other finders, and adds the patches."""

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        if name.partition(".")[0] not in ("allennlp", "allennlp_models"):
            return None
        from elmo_plugin.compat.all_patches import PATCHES, add_patches

        if name not in PATCHES:
            return None
        others = (finder for finder in sys.meta_path if not isinstance(finder, PatchingFinder))
        specs = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            execute = add_patches(spec.loader.exec_module)
            spec.loader.exec_module = execute  # type: ignore[assignment, method-assign]
        return spec


def install() -> None:
    """Put the hook before all other finders, once."""
    if not any(isinstance(finder, PatchingFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, PatchingFinder())
