"""Pages as a headless Chromium shows them."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
HARNESS = Path(__file__).with_suffix(".html")
WIDTHS = (390, 1280)


class Finding(NamedTuple):
    """What a page looks like at one width."""

    page: str
    width: int
    overflow: int
    """Pixels by which the page is wider than the window."""
    external: list[str]
    """Addresses that were requested from other hosts."""
    low_contrast: list[str]
    """Texts with a contrast below WCAG AA, and their contrast."""
    is_dark: bool


def look_at(folder: Path, pages: Sequence[str], dark: bool) -> list[Finding]:
    """
    Load pages at each width, and raise on a script error.

    # Parameters

    folder : `Path`
        Is served to the browser, at a port of this machine.
    pages : `Sequence[str]`
        Paths relative to `folder`.
    dark : `bool`
        Whether the user prefers dark colors.
    """
    with serve(folder) as address:
        query = urlencode([*(("page", f"/{p}") for p in pages), *(("width", w) for w in WIDTHS)])
        finished = _run_chromium(f"{address}{HARNESS.name}?{query}", dark)
    assert "Uncaught" not in finished.stderr, finished.stderr
    found = re.search(r'<pre id="findings">(.+?)</pre>', finished.stdout, re.DOTALL)
    assert found, finished.stderr[-2000:]
    entries: list[dict[str, Any]] = json.loads(html.unescape(found[1]))
    return [Finding(*entry.values()) for entry in entries]


def _run_chromium(url: str, dark: bool) -> subprocess.CompletedProcess[str]:
    assert CHROMIUM is not None
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    options += ["--disable-background-networking", "--disable-component-update"]
    options += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    options += [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    # Virtual time runs on while nothing is loading, so that the pages are done.
    options += ["--virtual-time-budget=120000", "--dump-dom"]
    return subprocess.run(
        [CHROMIUM, *options, url], capture_output=True, text=True, check=True, timeout=120
    )


class _Handler(SimpleHTTPRequestHandler):
    def translate_path(self, path: str) -> str:
        is_harness = path.startswith(f"/{HARNESS.name}")
        return str(HARNESS) if is_harness else super().translate_path(path)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a directory and yield its address, reached without a proxy."""
    handler = partial(_Handler, directory=str(folder))
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("no_proxy", "127.0.0.1")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
