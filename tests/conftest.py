"""Set up all tests: one thread, no checks of uncommitted code, short garbage collections."""

import gc
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

# Set before torch is imported: threads that wait sleep, since the workers share the cores.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import pytest
import torch
from hypothesis import settings

# Small models gain nothing from more threads. The same holds for processes that tests start.
torch.set_num_threads(1)
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tables are not refused while the tests run on changes that are not committed yet.
os.environ["GIT_DIR"] = os.devnull

_LEVEL, _HOOK = logging.getLogger().level, sys.excepthook
_HANDLER = signal.getsignal(signal.SIGTERM)

settings.register_profile("tests", derandomize=True, deadline=None, database=None)


def pytest_make_collect_report(collector: pytest.Collector) -> None:
    """Before a module is imported, load the settings that its properties have by default."""
    if isinstance(collector, pytest.Module):
        settings.load_profile("short" if collector.path.parent.name == "properties" else "tests")


def pytest_collection_finish() -> None:
    """Keep all that was imported out of garbage collections, each of which would take seconds."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test where the paths in configurations begin, with all plugins."""
    from allennlp.common.plugins import import_plugins

    monkeypatch.chdir(Path(__file__).parent.parent)
    import_plugins()


@pytest.fixture(autouse=True)
def process_state() -> Iterator[None]:
    """Restore what a command in this process changes: log level, hook, handler, parser, threads."""
    allennlp = sys.modules.get("allennlp.commands")
    parser = getattr(allennlp, "ArgumentParserWithDefaults", None)
    yield
    torch.set_num_threads(1)
    # To their values before all tests, since a module's fixtures may have run a command earlier.
    logging.getLogger().setLevel(_LEVEL)
    sys.excepthook = _HOOK
    signal.signal(signal.SIGTERM, _HANDLER)
    if allennlp is not None:
        allennlp.ArgumentParserWithDefaults = parser
