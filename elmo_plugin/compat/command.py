"""Tells whether a command of `elmo` or `allennlp` runs.

Only then do AllenNLP's functions raise the one-line errors of `command_errors`. Programs that call
these functions get AllenNLP's own exceptions.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import Any, Optional

from elmo_plugin.compat.patching import patch_module, replace_for

_running = False


def is_command_running() -> bool:
    """Return True while a command runs."""
    return _running


@contextmanager
def running_command() -> Iterator[None]:
    """Mark the block as a command."""
    global _running
    before, _running = _running, True
    try:
        yield
    finally:
        _running = before


def in_commands(
    checked: Callable[..., Any], *, otherwise: Callable[..., Any]
) -> Callable[..., Any]:
    """Call `checked` while a command runs, and `otherwise`, AllenNLP's function, at other times."""

    @wraps(otherwise)
    def call(*args: Any, **kwargs: Any) -> Any:
        return (checked if is_command_running() else otherwise)(*args, **kwargs)

    return call


@patch_module("allennlp.commands")
def mark_commands(module: Any) -> Iterator[None]:
    """`elmo` and `allennlp` call `main` with their own name, other programs without one."""
    yield
    original = module.main

    @wraps(original)
    def main(prog: Optional[str] = None) -> None:
        with running_command() if prog else nullcontext():
            original(prog)

    module.main = main


@patch_module("allennlp.commands.train")
def mark_worker_processes(module: Any) -> Iterator[None]:
    """The processes of a distributed training start anew and do not know that a command runs."""
    yield
    original = module.mp.spawn

    def spawn(function: Callable[..., Any], args: tuple[Any, ...], nprocs: int) -> Any:
        if is_command_running():
            function, args = _run_as_command, (function, *args)
        return original(function, args=args, nprocs=nprocs)

    replace_for(module, "mp.spawn", spawn)


def _run_as_command(rank: int, function: Callable[..., Any], *args: Any) -> None:
    with running_command():
        function(rank, *args)
