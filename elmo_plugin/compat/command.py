"""Tells whether a command of `elmo` or `allennlp` runs.

Only then do AllenNLP's functions raise the one-line errors of `command_errors`. Programs that call
these functions get AllenNLP's own exceptions.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Optional

from elmo_plugin.compat.patching import Wrapper, wrap

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


def wrap_in_commands(*names: str) -> Callable[[Wrapper], Wrapper]:
    """Register a wrapper, as `wrap` does, that is called only while a command runs."""

    def register(wrapper: Wrapper) -> Wrapper:
        @wrap(*names)
        def call(original: Any, /, *args: Any, **kwargs: Any) -> Any:
            if is_command_running():
                return wrapper(original, *args, **kwargs)
            return original(*args, **kwargs)

        return wrapper

    return register


@wrap("allennlp.commands", "main")
def mark_commands(original: Any, prog: Optional[str] = None) -> None:
    """`elmo` and `allennlp` call `main` with their own name, other programs without one."""
    with running_command() if prog else nullcontext():
        original(prog)


@wrap("allennlp.commands.train", "mp.spawn")
def mark_worker_processes(
    original: Any, function: Callable[..., Any], args: tuple[Any, ...], nprocs: int
) -> Any:
    """The processes of a distributed training start anew and do not know that a command runs."""
    if is_command_running():
        function, args = _run_as_command, (function, *args)
    return original(function, args=args, nprocs=nprocs)


def _run_as_command(rank: int, function: Callable[..., Any], *args: Any) -> None:
    with running_command():
        function(rank, *args)
