"""Lives of named drives, from their class, beside what their makers rate: the table of docs/notebook/lifetime.md.

    python experiments/studies/rated_drives.py [--write]

Reads python/rewear/sold/sold.toml. A drive of the class, with the capacity and the flash of the named one, is
filled and written under the load at which makers rate until it is steady. The class's buffer is left out, since it
would be a tenth of the model. The drive has as many erase units as the class, of 2 MiB so that a request is a small
part of one, and few planes, which change no count.
"""

import argparse
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rewear.comparison.lifetime import lifetime
from rewear.core.drive import Drive
from rewear.core.toml_text import merged, to_toml
from rewear.core.workload import Workload
from rewear.figures.units import format_number
from rewear.sold.catalogue import Rated, rated_drives
from rewear.sold.classes import class_tables

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "notebook" / "lifetime.md"
TABLE = re.compile(r"(?<=<!-- ratings -->\n\n).*(?=\n<!-- end -->)", re.DOTALL)

WITHIN = 1.5
"""Factor within which a life is to agree with its rating. Written down before any life was computed."""

_JESD219 = "512*4/1024*1/1536*1/2048*1/2560*1/3072*1/3584*1/4KiB*67/8KiB*10/16KiB*7/32KiB*3/64KiB*3"
_CLIENT = "4KiB*5/8KiB*5/16KiB*10/32KiB*10/64KiB*35/128KiB*35"
_PARTS = 20
"""Stretches in order between as many of random writes, of the client load."""
_MODEL = {"channels": 4, "dies_per_channel": 1, "planes_per_die": 1, "pages_per_block": 128}
_HEAD = (
    "drive", "class", "load", "flash over capacity", "erased for a byte", "computed, PB", "rated, PB",
    "computed over rated", "why not within 1.5", "source of the rating",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Computed:
    """The life of a class of drives under a load, in capacities."""

    drive_writes: float
    least: float
    most: float
    write_amplification: float


def workload(load: str, drive: Drive) -> str:
    """The load on a drive of this size, about three drive writes long."""
    pages = drive.exported_bytes // drive.logical_page_bytes
    if load == "mapped":
        return f"jesd219:requests={3 * pages}"
    if load == "enterprise":
        return f"jesd219:volume_bytes={3 * drive.exported_bytes},size={_JESD219}"
    used = pages * 9 // 10
    stretch = used * drive.logical_page_bytes * 3 // (2 * _PARTS)
    part = used // _PARTS
    random = f"uniform:pages={used},volume_bytes={stretch},size={_CLIENT}"
    begins = (at * part * drive.logical_page_bytes for at in range(_PARTS))
    in_order = (f"sequential:pages={part},offset_bytes={at},volume_bytes={stretch},size=128KiB" for at in begins)
    return ";".join(f"{random},seed={at + 1};{phase}" for at, phase in enumerate(in_order))


@cache
def computed(drive_class: str, over_provisioning: float, load: str) -> Computed:
    """The life of a drive of the class with so much spare flash."""
    tables = class_tables(drive_class, 10**12, over_provisioning=over_provisioning)
    flash = {**_MODEL, "timing": tables["flash"]["timing"]}
    tables = merged(tables, {"flash": flash, "ftl": {"write_buffer": {"scheme": "none"}}})
    tables["ftl"]["write_buffer"] = {"scheme": "none"}
    drive = Drive.from_toml(to_toml(tables), drive_class)
    # The client's load leaves a tenth of the drive unwritten, which filling it would take away.
    start = "none" if load == "client" else "fill"
    (life,) = lifetime([Workload(workload(load, drive))], [(drive_class, drive)], precondition=start)
    least, most = life.tbw_bytes_between or (life.tbw_bytes, life.tbw_bytes)
    writes = float(life.figures["drive_writes"])
    amplification = (life.report.long_run or {}).get("flash_erased_per_byte") or 0.0
    return Computed(writes, writes * least / life.tbw_bytes, writes * most / life.tbw_bytes, amplification)


def rows() -> list[tuple[Rated, Computed]]:
    """Every drive with the life of its class."""
    return [(each, computed(each.drive_class, round(each.over_provisioning, 4), each.load)) for each in rated_drives()]


def ratio(drive: Rated, life: Computed) -> float:
    """Computed over rated."""
    return life.drive_writes * drive.capacity_bytes / drive.rated_bytes


def table(found: list[tuple[Rated, Computed]]) -> str:
    """The table of the notebook."""
    lines = [f"| {' | '.join(_HEAD)} |", f"|---|---|---|{'--:|' * 5}---|---|"]
    for drive, life in found:
        capacity = drive.capacity_bytes / 1e15
        times = ratio(drive, life)
        near = 1 / WITHIN <= times <= WITHIN
        lines.append(
            f"| {drive.name} | {drive.drive_class} | {drive.load} | {1 + drive.over_provisioning:.3f} "
            f"| {life.write_amplification:.2f} | {format_number(life.drive_writes * capacity)} "
            f"({format_number(life.least * capacity)} to {format_number(life.most * capacity)}) "
            f"| {format_number(drive.rated_bytes / 1e15)} | {times:.2f} | {'' if near else drive.why or '?'} "
            f"| {drive.source} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Prints the table, or writes it into the notebook."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table into docs/notebook/lifetime.md")
    text = table(rows())
    if parser.parse_args().write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(TABLE.sub(lambda _: text, page), encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
