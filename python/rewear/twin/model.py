"""The small drive that stands for a real one, and how it is written."""

from dataclasses import dataclass
from typing import Any

from rewear.core.bench import Replay, replays
from rewear.core.drive import Drive
from rewear.core.errors import ConfigurationError
from rewear.core.report import Report
from rewear.core.toml_text import to_toml, without_nothing
from rewear.core.workload import Region, Workload
from rewear.figures.units import format_bytes, parse_bytes
from rewear.twin.points import SIZES, Point

PAGES = 1 << 17
"""Flash pages of a twin of 4 KiB, whatever the number of its erase units."""
UNITS = 1024
"""Erase units of a twin without a measured size: enough for open ones not to count."""
PLANES = 8
"""Planes of a twin whose bandwidth nothing tells; an erase unit is a block of each."""
PAGE_BYTES = 4096
"""Flash page and mapping unit. Drives map parts of larger flash pages; the points do not show that."""

CHIP = "enterprise-tlc"
"""Preset whose times, life, energy and write buffer a twin has."""
_OF_CHIP = ("bits_per_cell", "read_priority", "erase_suspend_ns", "life", "energy")
_BUFFER_PAGES = 16
"""Pages of a twin's write buffer, a ten-thousandth of its flash, as the chip's 64 MiB are of a real drive's: what is
written over in it is not programmed."""
_LEAST_ERASE_NS = 50_000
_STEADY = 4
"""Writes of the whole flash until a drive is steady, and as many that count, where a point has no length of its run."""
_IN_FLIGHT = 512
"""Requests in flight where throughput is asked for: SSD-iq's benchmark has four threads of 128."""
_RATE = 1000
"""Requests a second of a curve: equal parts of the run are equal times, and times mean nothing else."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate: the use that a drive makes of its flash."""

    victim: str
    """Victim policy, `ftl.victim.scheme`."""
    moved: str
    """`together` with host writes or `apart` from them, `ftl.moved_pages`."""
    units: int = UNITS
    """Erase units of the twin. The flash over their number is the drive's erase unit."""


CANDIDATES = tuple(Candidate(victim, moved) for moved in ("together", "apart") for victim in ("greedy", "cyclic"))
"""Candidates, simplest first, but for their number of units."""


def nameplate_bytes(capacity_bytes: float) -> int:
    """Flash of a drive as its chips add up: the next power of two GiB."""
    gib = max(1, -(-int(capacity_bytes) // 2**30))
    return int(2 ** (gib - 1).bit_length()) << 30


def tables(candidate: Candidate, spare: float, metadata: float, planes: int = PLANES) -> dict[str, Any]:
    """The tables `[flash]` and `[ftl]` of a twin.

    Args:
        candidate: What it does with its flash.
        spare: Flash over exported capacity, less 1.
        metadata: Programs of metadata for each of data.
        planes: Planes that work side by side; an erase unit is a block of each.
    """
    chip = without_nothing(Drive(CHIP).configuration)
    pages = max(1, round(PAGES / candidate.units / planes))
    timing = chip["flash"]["timing"]
    # A block's erase takes as long for each of its pages, though blocks of a twin are short; no flash erases in less.
    erase_ns = max(_LEAST_ERASE_NS, round(timing["erase_ns"] * pages / chip["flash"]["pages_per_block"]))
    flash = {
        "channels": planes,
        "dies_per_channel": 1,
        "planes_per_die": 1,
        "blocks_per_plane": candidate.units,
        "pages_per_block": pages,
        "page_bytes": PAGE_BYTES,
        **{key: chip["flash"][key] for key in _OF_CHIP if key in chip["flash"]},
        "timing": {**timing, "erase_ns": erase_ns},
    }
    ftl = {
        "over_provisioning": round(spare, 6),
        "metadata_share": round(metadata, 6),
        "erase_unit": "drive",
        "moved_pages": candidate.moved,
        "victim": {"scheme": candidate.victim},
        "write_buffer": {**chip["ftl"]["write_buffer"], "pages": _BUFFER_PAGES},
        "wear_levelling": chip["ftl"]["wear_levelling"],
    }
    return {"flash": flash, "ftl": ftl}


def model(candidate: Candidate, spare: float, metadata: float = 0.0, planes: int = PLANES) -> Drive:
    """The drive of these tables."""
    return Drive.from_toml(to_toml({"name": "twin", **tables(candidate, spare, metadata, planes)}))


def workload_of(point: Point, drive: Drive, volume: str) -> str:
    """The point's workload on a twin of its drive: the pages that are filled as far, and sizes in the same proportion.

    Args:
        point: A point that replays.
        drive: The twin.
        volume: The length, as `requests=1000`.

    Raises:
        ConfigurationError: A size in the workload is none.
    """
    generator, _, text = point.workload.partition(":")
    page_bytes = drive.logical_page_bytes
    parameters = [f"pages={filled_pages(point, drive)}", volume]
    for pair in filter(None, text.split(",")):
        key, _, value = pair.partition("=")
        if key.strip() in SIZES:
            scaled = parse_bytes(key, value.strip()) * drive.exported_bytes / point.capacity_bytes
            value = str(max(1, round(scaled / page_bytes)) * page_bytes)
        parameters.append(f"{key}={value}")
    return f"{generator}:{','.join(parameters)}"


def filled_pages(point: Point, drive: Drive) -> int:
    """Pages of the twin that the workload writes over."""
    pages = drive.exported_bytes // drive.logical_page_bytes
    return min(pages, max(1, round(pages * point.fill_bytes / point.capacity_bytes)))


def amplification(drive: Drive, point: Point, seed: int | None = None) -> float:
    """Write amplification of a point's workload on a twin: of the end of its run, or where it is steady.

    Raises:
        RewearError: Whatever `Drive.replay` raises.
    """
    (report,) = replays([task(drive, point, seed)])
    return written(report)


def task(drive: Drive, point: Point, seed: int | None = None, timed: bool = False) -> Replay:
    """The replay of a point's workload on a twin, for `written`, `parts` where it is a curve, or `rate` if it is timed.

    Raises:
        ConfigurationError: A curve does not say how long its run was, or a size in the workload is none.
    """
    label = f"{drive.name}, {point.name or point.workload} over {format_bytes(point.fill_bytes)}"
    if point.curve:
        return _curve(label, drive, point, seed)
    filled = filled_pages(point, drive)
    if point.drive_writes is None:
        requests, warm_up = 2 * _STEADY * PAGES, _STEADY * PAGES
    else:
        requests = max(1, round(point.drive_writes * filled))
        warm_up = requests - max(1, round(requests * point.last))
    spec = workload_of(point, drive, f"requests={requests}")
    if point.start == "filled":
        spec, warm_up = f"sequential:pages={filled},requests={filled};{spec}", warm_up + filled
    full: dict[str, Any] = {"arrival": "closed", "queue_depth": _IN_FLIGHT} if timed else {"no_time": True}
    if timed:
        drive = _unbuffered(drive)
    return Replay(label, drive, Workload(spec), {"warm_up": warm_up, "seed": seed, **full})


def _unbuffered(drive: Drive) -> Drive:
    """The same drive without a write buffer: a small one would hold the requests back, a large one absorb a twin's."""
    parts = without_nothing(drive.configuration)
    parts["ftl"] = {**parts["ftl"], "write_buffer": {"scheme": "none"}}
    return Drive.from_toml(to_toml(parts))


def _curve(label: str, drive: Drive, point: Point, seed: int | None) -> Replay:
    if point.drive_writes is None:
        raise ConfigurationError(f"The curve of {point.workload} needs its length. Give it in the column drive_writes.")
    filled = filled_pages(point, drive)
    volume = f"volume_bytes={max(1, round(point.drive_writes * filled)) * drive.logical_page_bytes}"
    spec = f"{workload_of(point, drive, volume)},arrival=fixed,rate={_RATE}"
    region = Region(filled, drive.logical_page_bytes, 1 if seed is None else seed)
    seconds = Workload(spec).on_region(region).info()["requests"] / _RATE
    begin = "fill" if point.start == "filled" else "none"
    options = {"precondition": begin, "arrival": "trace", "interval_s": seconds / len(point.curve), "seed": seed}
    return Replay(label, drive, Workload(spec), options)


def written(report: Report) -> float:
    """Write amplification of a replay, 1 where nothing was written."""
    return report.figure("write_amplification") or 1.0


def rate(report: Report) -> float:
    """MiB that the host wrote a second."""
    return float(report["host_bytes_written"]) / 2**20 / (report.simulated_ns / 1e9)


def parts(report: Report, count: int) -> tuple[float, ...]:
    """Write amplification of the equal parts of a run."""
    # The last request may come just behind the last interval.
    intervals = list(report.series or ())[:count]
    return tuple(
        each["pages_programmed"] / each["host_pages_written"] if each["host_pages_written"] else 1.0
        for each in intervals
    )
