"""Traces in the place of a paper's: the originals where a user has them, else workloads or recordings.

`experiments/papers/NAME/traces.toml` has a table for each trace of the paper:

| key | meaning |
|---|---|
| `original` | patterns of file names under which the trace is published, with or without `WORD_` before |
| `requests` | how many it has as published: a file with fewer is a head of it |
| `reads` | the share of them that reads, as published |
| `workload`, `trace` | what stands in for it: a workload, or a recording seen from the folder of the paper |
| `pages`, `writes` | pages that the workload touches, and page writes, of `page_bytes`; recordings are counted |
| `scale` | size of the stand-in over that of the original: `scaled` settings are multiplied by it |
| `settings` | of a sweep, for the stand-in only, such as `replay.loops` |
| `original_settings` | the same for the original, such as `trace.volume` |
"""

import fnmatch
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rewear import _core
from rewear.core.errors import ConfigurationError
from rewear.core.strict import Table, read_toml
from rewear.core.trace import Trace
from rewear.sweep.settings import Settings, flat_settings
from rewear.sweep.store import Outcome, Store, content_of, key_of

ORIGINAL, HEAD, OWN, RECORDED, MADE_UP = KINDS = (
    "the paper's trace",
    "a head of the paper's trace",
    "the paper's workload",
    "recorded",
    "made up",
)
"""Foundations of a result, the best first."""

_WHOLE = 0.9
"""Share of the published requests from which on a file is the trace: tables round, and mirrors leave out bad lines."""

_PROFILE = "stand-in:profile="
"""Begins a workload whose profile is a file, seen from the folder of the paper."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of a drive a trace needs."""

    pages: int
    """Distinct pages that it touches."""
    writes: int
    """Page writes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A trace of a paper and what is replayed for it."""

    name: str
    settings: Settings
    """Settings of a sweep that replay it."""
    file: Path | None
    """The file that is replayed; `None` for a workload."""
    stated: Sizes | None
    page_bytes: int
    scale: float = 1.0
    is_original: bool = False
    stands_in: bool = False
    """Whether a made-up workload takes the place of a trace that exists."""
    patterns: tuple[str, ...] = ()
    """File names under which the trace is published."""
    cut_to: int | None = None
    """Requests of an original that is only a head of what was published."""
    published_requests: int | None = None
    """Requests of the trace as published."""
    published_reads: float | None = None
    """Share of them that reads, as published."""

    @property
    def kind(self) -> str:
        """The kind of what is replayed: a word of `KINDS`."""
        if self.is_original:
            return ORIGINAL if self.cut_to is None else HEAD
        if self.file is not None:
            return RECORDED
        return MADE_UP if self.stands_in else OWN

    def sizes(self, page_bytes: int, known: "Counts") -> Sizes:
        """Pages and page writes, in pages of `page_bytes`."""
        if self.stated is not None and self.cut_to is None:
            part = self.page_bytes / page_bytes
            return Sizes(round(self.stated.pages * part), round(self.stated.writes * part))
        assert self.file is not None
        options = {key.removeprefix("trace."): value for key, value in self.settings.items() if key[:6] == "trace."}
        counted = known.of(self.file, options, page_bytes)
        if self.cut_to is None or self.stated is None:
            return counted
        # A head touches little of the address space for which a paper's drives are sized.
        published = round(self.stated.pages * self.page_bytes / page_bytes)
        return Sizes(max(counted.pages, published), counted.writes)


class Originals:
    """The files in a folder, by name."""

    def __init__(self, folder: Path | None) -> None:
        """Looks through the folder and those in it."""
        self.folder = folder
        self.files: list[Path] = []
        self.found: dict[Path, str] = {}
        """Files that took the place of a stand-in, and the patterns that they match."""
        if folder is None:
            return
        if not folder.is_dir():
            raise ConfigurationError(f"{folder} is no folder. Give the folder in which the papers' traces lie.")
        files = (path for path in folder.rglob("*") if not path.is_dir())
        self.files = sorted(files, key=lambda file: (file.parent, file.name))

    def find(self, patterns: tuple[str, ...]) -> Path | None:
        """The first file whose name is like one of the patterns, in their order; upper and lower case are alike."""
        for pattern in patterns:
            for file in self.files:
                if any(fnmatch.fnmatchcase(file.name.lower(), f"{before}{pattern.lower()}") for before in ("", "*_")):
                    self.found.setdefault(file, pattern)
                    return file.resolve()
        return None

    @property
    def unmatched(self) -> list[Path]:
        """Files that no pattern has matched yet."""
        return [file for file in self.files if file not in self.found]


class Counts:
    """Sizes of trace files, kept among the finished runs so that a trace is counted once."""

    def __init__(self, store: Store) -> None:
        """Counts are entries of `store`, and proven as runs are."""
        self.store = store

    def of(self, path: Path, options: dict[str, Any], page_bytes: int) -> Sizes:
        """The sizes of a trace that is opened with these options."""
        asked = {"count": "sizes", "page_bytes": page_bytes, "options": options}
        return Sizes(*self._counted(path, asked, lambda: _count(Trace(path, **options), page_bytes)))

    def requests(self, path: Path) -> int:
        """Requests of a trace."""
        return self._counted(path, {"count": "requests"}, lambda: [int(Trace(path).info()["requests"])])[0]

    def reads(self, path: Path) -> int:
        """Requests of a trace that read."""
        return self._counted(path, {"count": "reads"}, lambda: [int(Trace(path).info()["read"]["requests"])])[0]

    def _counted(self, path: Path, asked: dict[str, Any], count: Callable[[], Iterable[int]]) -> list[int]:
        identity = {"rewear": _core.version(), "trace": content_of(path), **asked}
        known = self.store.get(key_of(identity))
        if known is None or known.report is None:
            known = Outcome({"counts": list(count())})
            self.store.put(identity, known)
        counts: list[int] = (known.report or {})["counts"]
        return counts


def _count(trace: Trace, page_bytes: int) -> tuple[int, int]:
    if page_bytes == 4096:
        info = trace.info()
        return int(info["distinct_pages_touched"]), int(info["write"]["pages"])
    if page_bytes != 8192:
        raise ConfigurationError(f"A trace is counted in pages of 4096 or 8192 bytes, not of {page_bytes}.")
    analysis = trace.analyze()
    overlap = analysis["overlap"]
    written = next((each["bytes"] for each in analysis["operations"] if each["operation"] == "write"), 0)
    return sum(int(overlap[kind]) for kind in ("only_read", "only_written", "shared")), written // page_bytes


def read_sources(path: Path, originals: Originals, counts: Counts | None = None) -> dict[str, Source]:
    """Every trace of a paper, by its name; none if there is no such file. With `counts` heads of traces are known."""
    if not path.exists():
        return {}
    root = read_toml(path)
    return {name: _source(name, root.table(name), originals, path.parent, counts) for name in root.content}


def _source(name: str, table: Table, originals: Originals, folder: Path, counts: Counts | None) -> Source:
    patterns = table.texts("original", ())
    workload, trace = table.get("workload", str, None), table.get("trace", str, None)
    if (workload is None) == (trace is None):
        table.wrong(None, f"{name} must have a workload or a trace that stands in for it.")
    page_bytes, scale = table.get("page_bytes", int, 4096), table.number("scale", 1.0)
    own = {key: value for key, value, _ in flat_settings(table.get("settings", dict, {}))}
    original_settings = {key: value for key, value, _ in flat_settings(table.get("original_settings", dict, {}))}
    published: int | None = table.get("requests", int, None)
    reads = table.number("reads", None)
    stated = None
    if workload is not None:
        stated = Sizes(table.get("pages", int), table.get("writes", int))
    table.close()
    made = partial(Source, patterns=patterns, published_requests=published, published_reads=reads)
    if workload is not None and workload.startswith(_PROFILE):
        workload = f"{_PROFILE}{(folder / workload.removeprefix(_PROFILE)).resolve()}"
    file = originals.find(patterns)
    if file is not None:
        settings = {"trace": str(file), "replay.fit": "dense", **original_settings}
        has = None if published is None or counts is None else counts.requests(file)
        if has is None or published is None or has >= _WHOLE * published:
            return made(name, settings, file, None, page_bytes, is_original=True)
        whole = None if stated is None else Sizes(round(stated.pages / scale), round(stated.writes / scale))
        return made(name, settings, file, whole, page_bytes, is_original=True, cut_to=has)
    if trace is not None:
        own = {"trace": trace, "replay.fit": "dense", **own}
        return made(name, own, (folder / trace).resolve(), None, page_bytes, scale)
    own = {"workload": workload, **own}
    return made(name, own, None, stated, page_bytes, scale, stands_in=bool(patterns))
