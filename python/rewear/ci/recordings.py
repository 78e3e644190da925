"""The benchmark, run several times on a recorded file system, from a checkout of its source."""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from rewear.core.errors import ConfigurationError
from rewear.core.recording import GIBIBYTE, record
from rewear.core.trace import Trace


def record_runs(
    command: Sequence[str],
    folder: Path,
    checkout: Path,
    name: str,
    runs: int,
    *,
    size_bytes: int = GIBIBYTE,
    check: Callable[[Trace], object] = lambda _: None,
    say: Callable[[str], object] = lambda _: None,
) -> list[Trace]:
    """Record runs of a command, each in a fresh file system.

    What making the file system writes is left out: it is no work of the benchmark.

    A program that is named by a relative path, as `./bench.sh`, is that of the checkout. The command finds the checkout
    in `REWEAR_CHECKOUT`. What it prints goes to stderr.

    Args:
        command: Program and arguments.
        folder: Where the recordings go.
        checkout: Folder of the source that is measured.
        name: What recordings and messages call it.
        runs: How often.
        size_bytes: Size of the file system's device.
        check: Called with the first recording, before the other runs; an exception that it raises stops them.
        say: Called with a line before each run.

    Raises:
        ConfigurationError: A run fails.
        TraceError: As `rewear.record`.
    """
    words = [_program(command[0], checkout), *command[1:]]
    found = []
    for turn in range(1, runs + 1):
        say(f"{name}, run {turn} of {runs}")
        path = folder / f"{name}-{turn}.rwt"
        status, _ = record(
            words,
            path,
            size_bytes,
            content="none",
            description=f"{name}, run {turn}, recorded by rewear ci",
            empty_trims=False,
            environment={"REWEAR_CHECKOUT": os.fspath(checkout.resolve()), "REWEAR_RUN": str(turn)},
            output="stderr",
        )
        if status != 0:
            raise ConfigurationError(
                f"{' '.join(command)} ended with status {status} in run {turn} of {name}. What it printed stands above."
            )
        found.append(Trace(path))
        if turn == 1:
            check(found[0])
    return found


def _program(word: str, checkout: Path) -> str:
    if "/" not in word:
        if shutil.which(word) is None:
            raise ConfigurationError(f"{word} is not found. Install it, or give its path.")
        return word
    path = checkout / word
    if not path.is_file():
        raise ConfigurationError(f"{path} is no file. Name a program, or its path within the checkout.")
    return os.fspath(path.resolve())
