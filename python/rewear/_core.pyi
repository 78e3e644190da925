"""The compiled core: drives, traces, workloads and the replay. Structured data crosses as JSON text."""

from collections.abc import Callable, Sequence
from typing import final, overload

from rewear.core.progress import Progress

def version() -> str:
    """Version of Rewear."""

def ask(question: str, arguments: str, progress: Callable[[Progress], object] | None) -> str:
    """The answer to a question as JSON text; `rewear.core.ask` has the arguments."""

@final
class Drive:
    """A checked drive configuration."""

    def __new__(cls, text: str, origin: str, overrides: list[tuple[str, str]]) -> Drive: ...
    def with_policy(self, policy: Policy) -> Drive:
        """The same drive, which asks `policy`."""
    @property
    def name(self) -> str:
        """Name of the drive."""
    def configuration(self) -> str:
        """JSON object of the full configuration."""
    def bound(
        self,
        source: Trace | Workload,
        options: str,
        open_units: list[int],
        progress: Callable[[Progress], object] | None,
    ) -> str:
        """Places the writes with their future known; JSON object of what has to be moved all the same."""
    def derived(self) -> str:
        """JSON list of the derived quantities."""

@final
class Candidate:
    """A unit that may be cleaned."""

    @property
    def number(self) -> int:
        """Its number on the drive."""
    @property
    def valid(self) -> int:
        """Its valid pages."""
    @property
    def pages(self) -> int:
        """Pages of an erase unit."""
    @property
    def age(self) -> int:
        """Pages that the host wrote since it was closed or last lost a valid page, 1 for the latest."""
    @property
    def erases(self) -> int:
        """Times that it was erased."""
    @property
    def stream(self) -> int | None:
        """The stream that filled it, of a policy with streams; else 0 for host writes, `None` for others."""

@final
class Candidates(Sequence[Candidate]):
    """The units of a pool that may be cleaned: fewest valid pages first, among equals the one that has been so longest.

    A sequence: `units[0]`, `units[:3]`, `len(units)`, `for unit in units`, `min(units, key=...)`.
    """

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> Candidate: ...
    @overload
    def __getitem__(self, index: slice) -> list[Candidate]: ...
    @property
    def oldest(self) -> list[Candidate]:
        """Of the units with the same number of valid pages the one that has been so longest, fewest first."""

@final
class Victim:
    """A unit whose valid pages are about to be moved."""

    @property
    def number(self) -> int:
        """Its number on the drive."""
    @property
    def stream(self) -> int:
        """The stream that filled it."""
    @property
    def valid(self) -> int:
        """Its valid pages."""
    @property
    def life(self) -> int:
        """Pages that the host wrote since it was opened."""

@final
class Policy:
    """The functions of a policy, and how often they were asked in one replay."""

    def __new__(
        cls,
        name: str,
        victim: Callable[[Candidates], object] | None,
        host: Callable[[], object] | None,
        moved: Callable[[Victim], object] | None,
        streams: int,
        explain: Callable[[str, BaseException | None, tuple[object, str] | None], BaseException],
    ) -> Policy: ...
    def end_process_after(self, limit_s: float, said: str) -> None:
        """Ends the process with exit code 2 once a call takes longer."""
    @property
    def calls(self) -> tuple[int, int]:
        """Calls begun so far, and calls ended."""
    @property
    def seconds(self) -> float:
        """Seconds spent in calls that have ended."""

@final
class Trace:
    """A trace file whose format is known."""

    def __new__(
        cls,
        path: str,
        format: str | None,
        skip_bad_lines: bool,
        skip_trims: bool,
        shift_bytes: int,
        volume: str | None,
        time_unit: str | None,
        event: str | None,
        cut_gaps_s: float | None,
        columns: str | None,
        separator: str | None,
        reads: str | None,
        writes: str | None,
    ) -> Trace: ...
    @property
    def format(self) -> str:
        """Name of the format."""
    def kept(self, progress: Callable[[Progress], object] | None) -> Trace:
        """The same trace with its requests in memory, if it is not too long for that."""
    def info(self, progress: Callable[[Progress], object] | None) -> str:
        """JSON object of the counts over the whole trace."""
    def analyse(self, progress: Callable[[Progress], object] | None) -> str:
        """JSON object of the analyses of the whole trace."""
    def head(self, count: int) -> str:
        """JSON list of the first requests."""
    def rows(self) -> Rows:
        """A fresh reader of the requests, column by column."""
    def convert(self, path: str, content: str, progress: Callable[[Progress], object] | None) -> str:
        """Writes the compact format; JSON object of what was written."""
    def who_writes(self) -> str:
        """JSON object of who wrote; null of a trace that does not tell."""
    def batched(self, file: str, by: int, anew: bool, out: str) -> int | None:
        """Writes the recording as if a file were written in batches of `by` flushes; the requests that are left."""

@final
class Rows:
    """The requests of a trace from its beginning to its end, a batch a call."""

    def next(self) -> tuple[list[bytes], list[str]] | None:
        """Columns of the next batch and the names of the volumes; nothing at the end."""

def salvage_recording(part: str, trace: str) -> int:
    """Makes the file of a killed recorder a trace; its requests."""

@final
class RecordedDevice:
    """A device that is mounted and records until it is finished; on Linux only."""

    def __new__(
        cls, mountpoint: str, size_bytes: int, trace: str, description: str, content: str
    ) -> RecordedDevice: ...
    @property
    def path(self) -> str:
        """The file that is the device."""
    @property
    def part(self) -> str | None:
        """The file that is written until the recording ends."""
    def leave_out_empty_trims(self) -> None:
        """Leaves out trims of pages that hold nothing, from now on."""
    def prepare(self) -> None:
        """Marks all requests until `begin` as those that make the file system."""
    def begin(self) -> None:
        """Records from now on: the next request is the first. Follows the file system, to tell who wrote."""
    def asked(self, bytes: int) -> None:
        """Notes how many bytes the recorded programs asked to write."""
    def summary(self) -> str:
        """JSON object of what was recorded so far."""
    def finish(self) -> str:
        """Ends the trace; JSON object of what was recorded."""

@final
class Workload:
    """A checked workload description."""

    def __new__(cls, spec: str) -> Workload: ...
    def on_region(self, pages: int, page_bytes: int, seed: int) -> Workload:
        """The same workload on a region, wherever its description does not say."""
    def info(self) -> str:
        """JSON object of the counts over the whole workload."""
    def analyse(self) -> str:
        """JSON object of the analyses of the whole workload."""

def replay(
    drive: Drive,
    source: Trace | Workload,
    options: str,
    progress: Callable[[Progress], object] | None,
    log: Callable[[bytes, bytes, bytes, bytes, bytes], object] | None,
) -> str:
    """Replays with the GIL released; JSON object of the statistics.

    `log` is called with the columns of many requests at a time, as bytes of little-endian arrays: arrival (ns),
    operation (one byte), offset, length (bytes), response time (ns).
    """
