"""Ctrl-C while a command runs: a `KeyboardInterrupt`, so that files are removed, devices unmounted and workers ended.

Before and after, the process ends on the spot (`rewear.start`).

Python loses an interrupt in two places. Callbacks of weak references and destructors have no caller to raise it to, and
imports may take it for a reason to go on without a module. There it is raised again a little later.
"""

import _thread
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rewear.start import begin, handle

_AGAIN_S = 0.02
_IMPORTS = "<frozen importlib._bootstrap>"


@contextmanager
def orderly() -> Iterator[None]:
    """Within it Ctrl-C is a `KeyboardInterrupt` in the main thread; after it, it ends the process on the spot."""
    hook = sys.unraisablehook
    sys.unraisablehook = _unraisable
    try:
        handle(_interrupt)
        yield
    finally:
        begin()
        sys.unraisablehook = hook


def end_in_order() -> None:
    """From here on a SIGTERM is a Ctrl-C: service managers and CI end what they have started by it.

    What is mounted would stay so, if the process ended on the spot.
    """
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTS:
            _again()
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _again()
    else:
        sys.__unraisablehook__(unraisable)


def _again() -> None:
    # Not `threading.Thread`: the interrupt may have come while that holds its locks.
    _thread.start_new_thread(_raise_later, ())


def _raise_later() -> None:
    time.sleep(_AGAIN_S)
    first = threading.main_thread().ident
    if first is not None and hasattr(signal, "pthread_kill"):
        # Where another thread takes the signal, the first goes on to wait for a lock.
        signal.pthread_kill(first, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
