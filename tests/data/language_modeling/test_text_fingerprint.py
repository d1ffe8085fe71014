from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from elmo_plugin.data.language_modeling.text_fingerprint import describe_changes, fingerprint


@pytest.fixture(autouse=True)
def in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "abcd":
        Path(name).write_text(f"text of {name}\n" * 100_000)


def test_size_and_digest_of_the_bytes() -> None:
    content = Path("a").read_bytes()
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    assert fingerprint(["a"]) == {"a": [len(content), digest]}


def test_equal_after_json() -> None:
    before = json.loads(json.dumps(fingerprint("abcd")))
    assert describe_changes(before, fingerprint("dcba")) == ""


def test_each_change_is_named() -> None:
    before = fingerprint("abcd")
    size = Path("a").stat().st_size
    Path("a").write_bytes(Path("a").read_bytes()[::-1])
    Path("b").rename("e")
    Path("c").unlink()
    Path("f").touch()
    assert describe_changes(before, fingerprint("adef")) == (
        f"a has other contents ({size} bytes, now {size}), b was renamed to e, c was removed, "
        "f was added"
    )


def test_names_that_were_exchanged() -> None:
    before = fingerprint("ab")
    Path("a").rename("c")
    Path("b").rename("a")
    Path("c").rename("b")
    changes = describe_changes(before, fingerprint("ab"))
    assert "a has other contents" in changes and "b has other contents" in changes


def test_many_changes_are_counted() -> None:
    before = {str(i): [i, ""] for i in range(100)}
    changes = describe_changes(before, {})
    assert changes.startswith("0 was removed, 1 was removed, ")
    assert changes.endswith(" and 95 more")
