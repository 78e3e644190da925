"""Block traces: files of requests that somebody recorded."""

import json
import math
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rewear import _core
from rewear.core.analysis import Analysis
from rewear.core.ask import ask
from rewear.core.errors import ConfigurationError, TraceError
from rewear.core.files import replacing
from rewear.core.printable import printable
from rewear.core.progress import ProgressCallback
from rewear.core.writers import Writers
from rewear.figures.frames import html_table

if TYPE_CHECKING:
    import pyarrow

Content = Literal["digests", "numbers", "none"]
"""Content of pages that a compact trace keeps."""


def trace_formats() -> list[dict[str, Any]]:
    """The trace formats that can be read, each with the `name` under which `Trace(format=...)` takes it."""
    formats: list[dict[str, Any]] = ask("trace-formats")
    return formats


def _positive(key: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ConfigurationError(f"{key} is {value!r}. Give a number of seconds above 0.")
    return float(value)


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False


def _temporary(frame: Any) -> tuple[Any, str]:
    """A temporary csv of the requests of a frame, and the names of its columns."""
    from rewear.core.requests_table import csv_of

    file = tempfile.NamedTemporaryFile(suffix=".csv", prefix="rewear-")  # noqa: SIM115 (it lives as the trace does)
    try:
        return file, csv_of(frame, file.name)
    except BaseException:
        file.close()
        raise


class Trace:
    """A block trace in a file, plain or compressed, in a format that is recognised by its content.

    The file is streamed: a trace may be larger than memory, and every replay reads it anew. Those that replay it many
    times (`rewear.compare`, `rewear.advise`, sweeps) keep the requests of one that takes up to 256 MiB so.
    """

    __slots__ = ("_core", "_kept_file", "_options", "path")

    def __init__(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        skip_bad_lines: bool = False,
        skip_trims: bool = False,
        shift_bytes: int = 0,
        volume: str | None = None,
        time_unit: Literal["ns", "ticks", "us", "ms", "s"] | None = None,
        event: Literal["Q", "D", "C"] | None = None,
        cut_gaps_s: float | None = None,
        columns: str | None = None,
        separator: str | None = None,
        reads: str | None = None,
        writes: str | None = None,
    ) -> None:
        """Opens the file far enough to recognise what it is.

        Args:
            path: The file; gz, xz, zstd and bz2 are unpacked on the fly.
            format: Name of the format, for files that are not recognised (see `rewear.trace_formats()`).
            skip_bad_lines: Count malformed lines and go on, instead of failing at the first with its line number.
            skip_trims: Leave trims out, as most published traces do.
            shift_bytes: Added to every offset. 512 aligns traces of partitions that began at sector 63.
            volume: Take only the requests of this volume (disk, device) of a trace of several.
            time_unit: Unit of the trace's times, instead of the format's own or a guess; a tick is 100 ns.
            event: Which event of a block-layer log is the request: queued, issued to the device, or completed.
            cut_gaps_s: Take out gaps between requests, and steps back of the clock, longer than this number of
                seconds: what follows goes on at the latest time before.
            columns: Names of the columns of lines in no known format, joined by `+`: `time`, `time_ns`, `time_us`,
                `time_ms`, `time_s` or `date`; `op`; `offset` (bytes; `offset*4096`) or `sector`; `bytes` or `sectors`;
                `volume`; `stream`; `-` for a column that is passed over.
            separator: Separator of these columns (`comma`, `semicolon`, `tab`, `bar`, `blank`, `colon`, `at` or a
                sign), where it is not the first of those that lines have.
            reads: Words for reads beside the usual ones, joined by `+`; `*` if all requests are reads.
            writes: The same for writes.

        Raises:
            TraceError: The file cannot be opened, or its format is not recognised.
            ConfigurationError: An option has an impossible value.
        """
        self.path = Path(path)
        self._kept_file: Any = None
        self._options: dict[str, Any] = {
            "format": format,
            "skip_bad_lines": skip_bad_lines,
            "skip_trims": skip_trims,
            "shift_bytes": shift_bytes,
            "volume": volume,
            "time_unit": time_unit,
            "event": event,
            "cut_gaps_s": None if cut_gaps_s is None else _positive("cut_gaps_s", cut_gaps_s),
            "columns": columns,
            "separator": separator,
            "reads": reads,
            "writes": writes,
        }
        if columns is None and (given := {"separator": separator, "reads": reads, "writes": writes}):
            for key, value in given.items():
                if value is not None:
                    raise ConfigurationError(f"{key} goes with columns. Name them: columns=time_us+op+sector+sectors.")
        opened = self._unpacked() if columns is None and format is None and _is_parquet(self.path) else None
        self._core = _core.Trace(os.fspath(opened or path), *self._options.values())

    def _unpacked(self) -> str:
        """A csv of a Parquet file; it goes when the trace does."""
        import pyarrow.parquet

        self._options |= {"format": "columns"}
        file = pyarrow.parquet.ParquetFile(self.path)
        reader = pyarrow.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())
        self._kept_file, self._options["columns"] = _temporary(reader)
        return str(self._kept_file.name)

    @classmethod
    def from_arrow(cls, frame: Any) -> "Trace":
        """A trace of the requests in a frame.

        Args:
            frame: A frame of pandas, polars, duckdb or pyarrow, anything with an Arrow stream, or a dictionary of
                columns: `at_ns` (or `time_us`, `time_ms`, `time_s`), `operation`, `offset_bytes` (or `sector`),
                `length_bytes` (or `sectors`), and perhaps `volume` and `stream`. It is copied into a temporary file,
                which goes when the trace does.

        Raises:
            ConfigurationError: A column is missing.
            TraceError: A value is none of a request.
        """
        file, columns = _temporary(frame)
        trace = cls(file.name, columns=columns)
        trace._kept_file = file
        return trace

    def to_arrow(self) -> "pyarrow.Table":
        """All requests as a `pyarrow.Table`: `at_ns`, `operation`, `offset_bytes`, `length_bytes`, `volume`, `stream`.

        Raises:
            TraceError: A line is malformed.
        """
        from rewear.core.requests_table import reader

        return reader(self._core).read_all()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from rewear.core.requests_table import reader

        return reader(self._core).__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        """The number of requests; reads the whole trace."""
        return sum(each.num_rows for each in self._batches())

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The requests, each as in `head()`."""
        for batch in self._batches():
            yield from batch.to_pylist()

    def _batches(self) -> Iterator["pyarrow.RecordBatch"]:
        from rewear.core.requests_table import batches

        return batches(self._core)

    @property
    def format(self) -> str:
        """Name of the format."""
        return self._core.format

    @property
    def volume(self) -> str | None:
        """The one volume whose requests are taken; `None` takes those of all."""
        chosen: str | None = self._options["volume"]
        return chosen

    def shifted(self, by_bytes: int) -> "Trace":
        """The same trace with `by_bytes` more added to every offset."""
        return self.read_as(shift_bytes=self._options["shift_bytes"] + by_bytes)

    def read_as(self, **options: Any) -> "Trace":
        """The same trace with other options of the constructor.

        Raises:
            TraceError: As the constructor.
            ConfigurationError: As the constructor.
        """
        return Trace(self.path, **{**self._options, **options})

    def _kept(self, progress: ProgressCallback | None = None) -> "Trace":
        """The same trace with its requests in memory, for many replays; unchanged if it is too long."""
        kept = Trace.__new__(Trace)
        kept.path, kept._options, kept._core = self.path, self._options, self._core.kept(progress)
        kept._kept_file = self._kept_file
        return kept

    def info(self, progress: ProgressCallback | None = None) -> dict[str, Any]:
        """Reads the whole trace and counts it: requests by kind, bytes, distinct pages, extent, duration.

        Raises:
            TraceError: A line is malformed or the file is truncated; the message names the place.
        """
        figures: dict[str, Any] = json.loads(self._core.info(progress))
        return figures

    def analyze(self, progress: ProgressCallback | None = None) -> "Analysis":
        """Reads the whole trace twice and finds out what it is like: footprint, sizes, rewrites, overlap, content.

        Raises:
            TraceError: As `info`, and a request longer than any device takes.
        """
        analysis = json.loads(self._core.analyse(progress))
        return Analysis({**analysis, "who_writes": json.loads(self._core.who_writes())})

    def who_writes(self) -> Writers | None:
        """Bytes of each file, of the journal and of the metadata; `None` where the trace does not tell.

        Recordings of `rewear record -- COMMAND` and `rewear ci` do. All requests count, whatever options the trace has.

        Raises:
            TraceError: The trace is damaged or truncated.
        """
        found = json.loads(self._core.who_writes())
        return None if found is None else Writers.of(found)

    def batched(self, file: str, by: int, path: str | os.PathLike[str], *, anew: bool = False) -> "Trace":
        """The recording as if a file were written in batches, as a compact trace.

        Of the writes of a page of the file the last of a batch stays, of the journal's and of metadata's those of its
        last flush, and of flushes the last. Flushes and commits that other files force stay.

        Args:
            file: Path of the file, as `who_writes` names it.
            by: Flushes of a batch.
            path: The file to write.
            anew: The program replaces or truncates the file; only the version of the last flush of a batch stays.

        Raises:
            TraceError: The trace cannot be read, does not tell who wrote, or `path` cannot be written.
        """
        if self._core.batched(file, by, anew, os.fspath(path)) is None:
            raise TraceError(f"{self.path} does not tell who wrote. Record with rewear record -- COMMAND.")
        return Trace(path)

    analyse = analyze  # its former name

    def head(self, count: int = 10) -> list[dict[str, Any]]:
        """The first `count` requests: `at_ns`, `operation`, `offset_bytes` and `length_bytes` of each."""
        requests: list[dict[str, Any]] = json.loads(self._core.head(count))
        return requests

    def convert(
        self,
        path: str | os.PathLike[str],
        progress: ProgressCallback | None = None,
        *,
        content: Content = "digests",
    ) -> dict[str, Any]:
        """Writes the trace to `path`, in the format of its ending, and returns what was written (`requests`, `bytes`).

        `.rwt`, or no ending, is the compact format, `.csv` Rewear's own, `.parquet` has the columns of `to_arrow()`.
        `.iolog` is fio's (version 3, whole microseconds; `left_out` counts requests that fio has no word for).

        Args:
            path: The file to write.
            progress: Called now and then, for `.rwt`.
            content: What is kept of the content in `.rwt`: `digests`, each distinct one once; `numbers`, only which
                pages are equal, which is smaller and betrays nothing; `none`.

        Raises:
            TraceError: The trace cannot be read.
            ConfigurationError: `path` has another ending.
            RewearError: `path` cannot be written.
        """
        ending = Path(path).suffix.lower() or ".rwt"
        if ending not in (".rwt", ".csv", ".parquet", ".iolog"):
            raise ConfigurationError(
                f"{printable(os.fspath(path))} ends in {ending}. Name it *.rwt (compact), *.csv, *.parquet or *.iolog "
                "(fio)."
            )
        with replacing(path) as file:
            if ending == ".rwt":
                written: dict[str, Any] = json.loads(self._core.convert(file.name, content, progress))
            else:
                written = {**self._written(ending, file), "bytes": file.tell()}
        return {"path": os.fspath(path), **written}

    def _written(self, ending: str, file: Any) -> dict[str, Any]:
        from rewear.core import requests_table as table

        if ending == ".iolog":
            requests, left_out = table.write_iolog(self._batches(), file, table.name_of(self.path))
            return {"requests": requests, "left_out": left_out}
        write = table.write_csv if ending == ".csv" else table.write_parquet
        return {"requests": write(self._batches(), file)}

    def _repr_html_(self) -> str:
        head = ("at_ns", "operation", "offset_bytes", "length_bytes")
        rows = [[request[key] for key in head] for request in self.head(5)]
        return html_table(f"Trace {self.path.name}, {self.format}; its first requests", head, rows)

    def __repr__(self) -> str:
        return f"<rewear.Trace {str(self.path)!r}, {self.format}>"
