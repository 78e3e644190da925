"""Coset codes against spare space: the same flash and the same export with each.

Run:
    python experiments/studies/coset.py erased     # flash erased, by spare space and workload
    python experiments/studies/coset.py settled    # the figures that decide, over runs of thirty drive writes
    python experiments/studies/coset.py moves      # what the lost spare space costs, and what streams give back
    python experiments/studies/coset.py price      # response, energy, memory, and life by the wear of a further program

Drives are full at the start. Made-up workloads write pages of 4 KiB. A recording has a drive that exports what it
touches and little more, and is replayed until it has written the drive several times over.
"""

import math
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import rewear

BLOCK_PAGES = 256
PLANES = 4
CHIPS: dict[str, tuple[str, dict[str, Any]]] = {
    "MLC": ("wom-v-mlc", {}),
    "TLC": ("tlc-3d", {"flash.channels": PLANES, "flash.planes_per_die": 1, "flash.page_bytes": 4096,
                       "ftl.erase_unit": "drive"}),
    "QLC": ("wom-v-qlc", {}),
}  # fmt: skip
"""The preset of each kind of cell, and what makes drives of it that differ in their cells and times only."""

RATES: dict[str, tuple[float, ...]] = {
    "MLC": (0.8, 0.75, 0.7, 0.667, 0.6, 0.5, 0.4),
    "TLC": (0.833, 0.8, 0.75, 0.7, 0.667, 0.6, 0.5, 0.4),
    "QLC": (0.857, 0.844, 0.833, 0.8, 0.75, 0.7, 0.667, 0.6, 0.5, 0.4),
}
"""Measured rates of `rewear_codes::coset::measured`, the densest first."""

WOM_V_BITS = {"MLC": 1, "QLC": 2}
"""Data bits of the code of rate 1/2."""

SPACES = (1.2, 1.28, 1.4, 1.75, 2.14)
RECORDINGS = ("day", "home", "mail", "web")
WORKLOADS = ("uniform", "zipf:theta=0.9", *RECORDINGS)
UNITS = 120
DRIVE_WRITES = 6
"""Enough to choose a rate by: a code of many writes has hardly erased by then."""
LONG = 30
"""Drive writes of the figures that decide: each block is erased several times under every code."""
LEAST_SPARE = 0.02
"""Spare share of the slots below which no drive is made: cleaning needs open units."""
FURTHER = (0.0, 0.1, 0.3)
"""Parts of a P/E cycle that a program over data may wear: no chip's is published."""

Settings = dict[str, Any]


def replay(
    chip: str, space: float, workload: str, settings: Settings, writes: int = DRIVE_WRITES
) -> rewear.Report | None:
    """A run on flash of `space` times the export; `None` where a code leaves too little to clean with."""
    preset, base = CHIPS[chip]
    rate = settings.get("reuse.rate", 0.5 if settings.get("reuse.scheme") == "wom-v" else 1.0)
    spare = space * math.floor(BLOCK_PAGES * rate) / BLOCK_PAGES - 1
    if spare < LEAST_SPARE:
        return None
    options: dict[str, Any] = {"arrival": "closed", "queue_depth": 8, "precondition": "fill"}
    source: rewear.Trace | rewear.Workload
    if workload in RECORDINGS:
        source, touched, written = recording(workload)
        # A block a plane more, since pages are cut evenly.
        blocks = math.ceil(touched * space / (PLANES * BLOCK_PAGES)) + 1
        options |= {"fit": "dense", "loops": math.ceil(writes * touched / written)}
    else:
        blocks = UNITS
        requests = int(writes * UNITS * PLANES * BLOCK_PAGES / space)
        source = rewear.Workload(f"{workload}{',' if ':' in workload else ':'}requests={requests}")
    drive = rewear.Drive(
        preset, set=base | power(preset) | settings | {"flash.pages_per_block": BLOCK_PAGES,
                     "flash.blocks_per_plane": blocks, "ftl.over_provisioning": spare})  # fmt: skip
    report = drive.replay(source, **options)
    assert report.complete, report.stopped_because
    return report


def times(preset: str) -> dict[str, list[float]]:
    """Nanoseconds of the operations of a preset."""
    return rewear.Drive(preset).configuration["flash"]["timing"]


def power(preset: str) -> Settings:
    """An estimate of energies: 10 mA at 3 V for as long as an operation takes."""
    of = times(preset)
    return {"flash.energy.read_nj": [0.03 * ns for ns in of["read_ns"]],
            "flash.energy.program_nj": [0.03 * ns for ns in of["program_ns"]],
            "flash.energy.erase_nj": 0.03 * of["erase_ns"], "flash.energy.source": "10 mA at 3 V"}  # fmt: skip


def differentiated_ecc(chip: str) -> Settings:
    """Programs in half of the time and reads that take 100 us more, as the scheme's paper has them for MLC."""
    of = times(CHIPS[chip][0])
    return {"effort.scheme": "differentiated-ecc", "effort.low_cost_program_ns": [ns // 2 for ns in of["program_ns"]],
            "effort.low_cost_read_ns": [ns + 100_000 for ns in of["read_ns"]]}  # fmt: skip


@cache
def recording(name: str) -> tuple[rewear.Trace, int, int]:
    """A recording, the pages that it touches, and those that it writes."""
    trace = rewear.Trace(Path("recordings") / f"{name}.rwt")
    info = trace.info()
    return trace, info["distinct_pages_touched"], info["write"]["pages"]


def code(rate: float) -> Settings:
    """Keys of a coset code."""
    return {"reuse.scheme": "coset", "reuse.rate": rate}


def erased_of(report: rewear.Report) -> float:
    """Bytes of flash erased for a byte written."""
    assert report.flash_erased_per_byte is not None
    return report.flash_erased_per_byte


@cache
def best(chip: str, space: float, workload: str) -> tuple[rewear.Report, float | None, rewear.Report]:
    """The plain drive, and the rate that erases least with its report."""
    plain = replay(chip, space, workload, {})
    assert plain is not None
    found = [(report, rate) for rate in RATES[chip] if (report := replay(chip, space, workload, code(rate)))]
    if not found:
        return plain, None, plain
    report, rate = min(found, key=lambda one: erased_of(one[0]))
    return plain, rate, report


def erased() -> None:
    """Flash erased for a byte written: the plain drive with all spare space, and the change by the best rate."""
    for chip in CHIPS:
        print(f"\n**{chip}**\n\n| workload | " + " | ".join(f"{space}" for space in SPACES) + " |")
        print("|---|" + "--:|" * len(SPACES))
        for workload in WORKLOADS:
            cells = []
            for space in SPACES:
                plain, rate, report = best(chip, space, workload)
                change = erased_of(report) / erased_of(plain) - 1
                cells.append(f"{erased_of(plain):.2f}" + (f" {change:+.0%} ({rate})" if rate else " off"))
            print(f"| {workload.split(':')[0]} | " + " | ".join(cells) + " |", flush=True)
    print("\nOf rate 1/2 at 2.14 times the export, bytes erased for a byte: WOM-v with the same flash\n")
    for chip, bits in WOM_V_BITS.items():
        wom_v = {"reuse.scheme": "wom-v", "reuse.data_bits": bits, "reuse.reopen": "in-place-any",
                 "reuse.ecc_check": "pre"}  # fmt: skip
        for workload in ("uniform", *RECORDINGS):
            rival, (_, rate, report) = replay(chip, 2.14, workload, wom_v), best(chip, 2.14, workload)
            assert rival is not None
            print(f"{chip} {workload}: {erased_of(rival):.3f}, coset {rate} {erased_of(report):.3f}", flush=True)


ASKED: tuple[tuple[str, float, dict[str, float]], ...] = (
    ("QLC", 1.28, dict.fromkeys(("uniform", *RECORDINGS), 0.857)),
    ("TLC", 1.28, dict.fromkeys(RECORDINGS, 0.833)),
    ("QLC", 1.75, {"uniform": 0.7, **dict.fromkeys(RECORDINGS, 0.6)}),
    ("QLC", 2.14, dict.fromkeys(("uniform", *RECORDINGS), 0.5)),
    ("MLC", 2.14, {"uniform": 0.6, **dict.fromkeys(RECORDINGS, 0.5)}),
)
"""Chip, flash over export, and the rate by workload of the figures that decide."""


def settled() -> None:
    """The figures that decide, of runs long enough for codes of many writes."""
    print("| chip, flash, workload | rate | plain | coset | change |\n|---|--:|--:|--:|--:|")
    for chip, space, rates in ASKED:
        for workload, rate in rates.items():
            plain, coded = (replay(chip, space, workload, settings, LONG) for settings in ({}, code(rate)))
            assert plain and coded
            change = erased_of(coded) / erased_of(plain) - 1
            row = f"{rate} | {erased_of(plain):.3f} | {erased_of(coded):.3f} | {change:+.1%}"
            print(f"| {chip}, {space}, {workload} | {row} |", flush=True)


STREAMS: tuple[tuple[str, Settings], ...] = (
    ("one stream", {}),
    ("moved pages apart", {"ftl.moved_pages": "apart"}),
    ("SepBIT", {"ftl.streams.scheme": "sep-bit"}),
)  # fmt: skip
"""Where moved pages go: beside those of the host, or into streams of their own."""


def moves() -> None:
    """The plain drive with all spare space and with what the code leaves of it, and the code, by streams."""
    print("| chip, workload | streams | plain | plain with the code's spare | coset | change |")
    print("|---|---|--:|--:|--:|--:|")
    for chip, rate in (("QLC", 0.857), ("TLC", 0.833)):
        for workload in RECORDINGS:
            for streams, settings in STREAMS:
                plain, coded = (replay(chip, 1.28, workload, keys | settings, LONG) for keys in ({}, code(rate)))
                assert plain and coded
                try:
                    less = replay(chip, 1.28 * rate, workload, settings, LONG)
                except rewear.ConfigurationError:
                    less = None  # Too few spare units for the streams.
                row = f"{erased_of(plain):.3f} | {erased_of(less):.3f}" if less else f"{erased_of(plain):.3f} | -"
                row += f" | {erased_of(coded):.3f}"
                change = erased_of(coded) / erased_of(plain) - 1
                print(f"| {chip}, {workload} | {streams} | {row} | {change:+.1%} |", flush=True)


def price() -> None:
    """What the code costs at 28% of spare space and at 1.75, and lives where a further program wears."""
    print("| chip, flash, workload | rate | erased | response | with differentiated ECC | energy | RAM ", end="")
    print("| life at 0, 0.1, 0.3 |\n|---|--:|--:|--:|--:|--:|--:|--:|")
    for chip, space in (("QLC", 1.28), ("QLC", 1.75), ("TLC", 1.28), ("TLC", 1.4), ("MLC", 1.5)):
        for workload in ("uniform", *RECORDINGS):
            rate = best(chip, space, workload)[1]
            if rate is None:
                print(f"| {chip}, {space}, {workload} | off | | | | | | |")
                continue
            plain, report, effort = (
                replay(chip, space, workload, settings, LONG)
                for settings in ({}, code(rate), code(rate) | differentiated_ecc(chip))
            )
            assert plain and report and effort
            response = [one["mean_response_ns"] for one in (plain, report, effort)]
            energy = [one["energy_j"]["total"] for one in (plain, report)]
            slots = report.derived["controller_bytes"], plain.derived["controller_bytes"]
            print(f"| {chip}, {space}, {workload} | {rate} | {erased_of(report) / erased_of(plain) - 1:+.0%} ", end="")
            print(f"| {response[1] / response[0]:.2f}x | {response[2] / response[0]:.2f}x ", end="")
            print(f"| {energy[1] / energy[0]:.2f}x | {slots[0] / slots[1]:.2f}x ", end="")
            lives = [life(chip, space, workload, rate, further) / tbw(plain) for further in FURTHER]
            print("| " + ", ".join(f"{life:.2f}x" for life in lives) + " |", flush=True)


def life(chip: str, space: float, workload: str, rate: float, further: float) -> float:
    """Bytes that can be written in a life, where a further program wears so much of a cycle."""
    coded = replay(chip, space, workload, code(rate) | {"flash.life.reprogram_wear": further}, LONG)
    assert coded
    return tbw(coded)


def tbw(report: rewear.Report) -> float:
    """Bytes that can be written in the life of a drive."""
    assert report.life is not None
    return report.life["tbw_bytes"]


PARTS: dict[str, Callable[[], None]] = {"erased": erased, "settled": settled, "moves": moves, "price": price}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PARTS:
        sys.exit(f"Give one of: {', '.join(PARTS)}.")
    PARTS[sys.argv[1]]()
