"""The first lines of the command: Ctrl-C while it starts ends the process on the spot, with 130 and one line.

What this file imports is part of every Python that runs, so that next to no time passes before it has its effect: the
module `signal` is Python around `_signal`, and takes longer to load than all of this.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any
else:
    import _signal as signal

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def is_command() -> bool:
    """Whether this process is the command `rewear`, and not a program that uses the library."""
    # While Python looks for the module of `-m` and imports its package, the name of the program is `-m`.
    return bool(sys.argv) and sys.argv[0].rpartition(os.sep)[2] in ("rewear", "-m")


def begin() -> None:
    """From now on Ctrl-C ends the process on the spot: there is nothing to put in order."""
    handle(_end)


def handle(handler: "Any") -> "Any":
    """Sets the handler of SIGINT and returns the former.

    Nothing is set, and `SIG_IGN` returned, in another thread than the first, and where the parent process has
    SIGINT ignored, as shells do with jobs in the background.
    """
    former = signal.getsignal(signal.SIGINT)
    if former == signal.SIG_IGN:
        return signal.SIG_IGN
    try:
        signal.signal(signal.SIGINT, handler)
    except ValueError:
        return signal.SIG_IGN
    return former


def _end(_number: int, _frame: object) -> None:
    try:
        os.write(2, b"Interrupted.\n")
    finally:
        os._exit(INTERRUPTED)
