"""Command-line options that commands share, and types of arguments.

Where a type rejects a value, argparse names the argument. Parsers add defaults to the help.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

BILM_HELP = (
    "a pretrained biLM: built-in; the path or URL of a weight file, with its options beside it, or "
    "of a model.tar.gz; a directory that `elmo export` wrote; or the serialization directory of a "
    "training run"
)


def add_bilm_argument(parser: argparse.ArgumentParser) -> None:
    """`--bilm`, the path of a pretrained biLM."""
    parser.add_argument("--bilm", type=path, default="built-in", help=BILM_HELP)


def add_precision_argument(
    parser: argparse.ArgumentParser, default: str | None = "float32", note: str = ""
) -> None:
    """`--precision` of a biLM's matrices, see `Bilm.to_precision`."""
    parser.add_argument(
        "--precision",
        choices=["float32", "bfloat16"],
        default=default,
        help=f"type of the biLM's matrices{note}",
    )


def add_cuda_device_argument(parser: argparse.ArgumentParser) -> None:
    """`--cuda-device`, a GPU's index or -1."""
    parser.add_argument(
        "--cuda-device", type=cuda_device, default=-1, help="index of the GPU, -1 for the CPU"
    )


def add_batch_size_argument(parser: argparse.ArgumentParser, default: int = 64) -> None:
    """`--batch-size`, in sentences."""
    help = "sentences per batch"
    parser.add_argument("--batch-size", type=positive_int, default=default, help=help)


def add_out_argument(parser: argparse.ArgumentParser) -> None:
    """`--out`, the prefix of the files that a table and its figure are written to; `--title` and
    `--draft`."""
    parser.add_argument(
        "--out",
        type=output_prefix,
        metavar="PREFIX",
        help="write the table to PREFIX.md and PREFIX.json, and its figure, if there is one, to "
        "PREFIX.png and PREFIX.svg",
    )
    parser.add_argument("--title", help="title of the table, in place of the default one")
    parser.add_argument(
        "--draft",
        action="store_true",
        help="allow uncommitted changes in the code of this package, and mark the table as a "
        "draft; commands that train task models need it for such code even without --out",
    )


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """`--json`, for other programs to read standard output."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def bounded_int(minimum: int, maximum: int) -> Callable[[str], int]:
    """The type of integers from `minimum` to `maximum`, both included."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if not minimum <= number <= maximum:
            raise _error(f"an integer from {minimum} to {maximum}", text)
        return number

    return parse


def layers(*names: str) -> Callable[[str], str | int]:
    """The type of layers: one of these names, or the index of a layer."""

    def parse(text: str) -> str | int:
        if text in names:
            return text
        if not text.isdecimal():
            raise _error(f"{', '.join(names)} or the index of a layer", text)
        return int(text)

    return parse


def bilm_needs_allennlp(args: argparse.Namespace) -> bool:
    """Return True if AllenNLP has to read the biLM of `--bilm`."""
    from elmo_plugin.weights.resolve import is_archive

    return is_archive(args.bilm)


positive_int = bounded_int(1, 2**31 - 1)
seed = bounded_int(0, 2**32 - 1)  # NumPy's bounds


def cuda_device(text: str) -> int:
    """-1 for the CPU, or the index of a GPU of this machine."""
    import torch  # Slow to import, so only if the option is given.

    gpus = torch.cuda.device_count()
    try:
        return bounded_int(-1, gpus - 1)(text)
    except argparse.ArgumentTypeError:
        expected = f"-1 for the CPU, or the index of a GPU (found {gpus}, counted from 0)"
        raise _error(expected, text) from None


def device_name(number: int) -> str:
    """The name by which torch knows what `cuda_device` returned."""
    return "cpu" if number < 0 else f"cuda:{number}"


def fraction(text: str) -> float:
    """A number above 0 and at most 1."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise _error("a number above 0 and at most 1", text)
    return number


def path(text: str) -> str:
    """Any name but the empty one, which would stand for the working directory."""
    if not text:
        raise _error("a path", text)
    return text


def output_file(text: str) -> str:
    """The name of a file, which may exist."""
    if os.path.isdir(text):
        raise argparse.ArgumentTypeError(
            f"expected the name of a file, found a directory: {text!r}"
        )
    return _file_name(text)


def output_prefix(text: str) -> str:
    """The prefix of the names of a table's and its figure's files."""
    if text.endswith((".md", ".json", ".png", ".svg")):
        raise _error("a name without suffix, which is added", text)
    return _file_name(text)


def _file_name(text: str) -> str:
    if os.path.basename(text) in ("", ".", ".."):
        raise _error("the name of a file", text)
    return text


def archive_file(text: str) -> str:
    """The name of a model.tar.gz to write."""
    if not text.endswith(".tar.gz"):
        raise _error("a name that ends in .tar.gz", text)
    return output_file(text)


def output_directory(text: str) -> str:
    """The name of a directory, which may exist."""
    if os.path.lexists(text) and not os.path.isdir(text):
        raise argparse.ArgumentTypeError(
            f"expected the name of a directory, found a file: {text!r}"
        )
    return path(text)


def _error(expected: str, text: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"expected {expected}, got {text!r}")
