"""A disk that fills up ends `elmo embed` in one line, and loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.command_line import RUN_MAIN, elmo, run_process
from tests.helpers.embedding import TEXT

# A limit of the file size simulates a full disk.
_FULL_AFTER = (
    "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    "limits = resource.getrlimit(resource.RLIMIT_FSIZE); "
    "resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, limits[1]))"
)
_RESTORE = "resource.setrlimit(resource.RLIMIT_FSIZE, limits)"  # for the helper's report


@pytest.mark.parametrize(
    ("name", "size"), [("out.hdf5", 100_000), ("out.parquet", 10_000), ("out.npy", 10_000)]
)
def test_resumes_after_a_full_disk(
    name: str, size: int, bilm_folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(" ".join(tokens) for tokens in TEXT * 40))
    out = tmp_path / name
    options = ["--bilm", bilm_folder, "--layers", "average", "--workers", "1"]
    options += ["--pooling", "mean"] if out.suffix == ".npy" else []
    full = f"{_FULL_AFTER.format(size=size)}\ntry: {RUN_MAIN}\nfinally: {_RESTORE}"
    ended = run_process(tmp_path, "embed", text, out, *options, code=f"exec({full!r})")
    assert ended.status == 1, ended.errors
    error = ended.errors.splitlines()[-1]
    assert error.startswith(f"elmo: error: {tmp_path}/") and "Traceback" not in ended.errors
    assert "File too large" in error
    assert not out.exists()

    whole = tmp_path / f"whole-{name}"
    for file in (out, whole):
        elmo(monkeypatch, "embed", text, file, *options)
    assert out.read_bytes() == whole.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {
        *("text.txt", "report.json", out.name, whole.name)
    }


@pytest.mark.parametrize("form", ["packed", "allennlp", "parquet-directory"])
def test_full_at_the_end_keeps_the_file_before(
    form: str, bilm_folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "out"
    text.write_text("\n".join(" ".join(tokens) for tokens in TEXT * 40))
    options = ["--bilm", bilm_folder, "--format", form, "--workers", "1"]
    elmo(monkeypatch, "embed", text, out, *options)
    files = list(out.iterdir()) if out.is_dir() else [out]
    before = {file: file.read_bytes() for file in files}
    size = max(map(len, before.values())) - 10
    if out.is_dir():
        out = tmp_path / "another"
    full = f"{_FULL_AFTER.format(size=size)}\ntry: {RUN_MAIN}\nfinally: {_RESTORE}"
    ended = run_process(tmp_path, "embed", text, out, *options, code=f"exec({full!r})")
    assert ended.status == 1, ended.errors
    assert f"elmo: error: {tmp_path}/" in ended.errors and "Traceback" not in ended.errors
    assert {file: file.read_bytes() for file in files} == before
