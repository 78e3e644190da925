"""Who writes: bytes of each file, of the journal and of the metadata of a recorded file system."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

Kind = Literal["file", "journal", "metadata", "free"]

LEAST_REWRITES = 100
"""Rewrites, and flushes, from which a file is one to write in batches: fewer wear nothing."""
_PAGE_BYTES = 4096
NAMES = {
    "journal": "(journal)",
    "metadata": "(metadata)",
    "free": "(removed before the commit)",
    None: "(not told)",
}
"""Names of what is no file."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A file, or a part of the file system."""

    kind: Kind | None
    """`None` where the recording was cut short before it was told."""
    name: str
    """Path of a file at the time of its writes; of removed content the only file that the same commits changed."""
    written_bytes: int
    trimmed_bytes: int
    writes: int
    """Requests that write some of its bytes."""
    rewrites: int
    """Writes of a page of 4 KiB that it wrote last, too."""
    rewrites_within_30_s: int
    flushes: int
    """Flushes with writes of it since the flush before."""
    discards: int = 0
    """Pages of 4 KiB that were trimmed after it wrote them last."""

    @property
    def label(self) -> str:
        """The path, or a name in brackets."""
        if self.kind == "free" and self.name:
            return f"{self.name} (replaced before the commit)"
        return self.name if self.kind == "file" else NAMES[self.kind]

    @property
    def is_anew(self) -> bool:
        """Whether the program writes the file anew each time: its old blocks are trimmed, not written again."""
        return 2 * self.discards * _PAGE_BYTES >= self.written_bytes > 0


@dataclass(frozen=True, slots=True)
class Writers:
    """All writers of a recording; their bytes add up to those of the device."""

    duration_ns: int
    """From the first request to the last."""
    written_bytes: int
    trimmed_bytes: int
    flushes: int
    preparation_bytes: int
    """Bytes that mke2fs wrote; in no other figure."""
    asked_bytes: int | None
    """Bytes that the command passed to write calls, those to terminals and pipes included."""
    writers: tuple[Writer, ...]
    """The most written bytes first."""

    @property
    def factor(self) -> float | None:
        """Bytes at the device over bytes asked for."""
        return self.written_bytes / self.asked_bytes if self.asked_bytes else None

    @property
    def most_forced(self) -> Writer | None:
        """The file with the most rewrites within 30 s, if flushes force them out; `None` where that is no matter."""
        least = LEAST_REWRITES
        forced = [each for each in self.writers if each.kind == "file" and each.flushes >= least]
        most = max(forced, key=lambda each: each.rewrites_within_30_s, default=None)
        return most if most is not None and most.rewrites_within_30_s >= least else None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Writers":
        """The writers of a JSON document."""
        writers = tuple(Writer(**each) for each in data["writers"])
        return cls(**{each.name: data[each.name] for each in fields(cls) if each.name != "writers"}, writers=writers)
