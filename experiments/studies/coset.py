"""Coset codes against spare space: the same flash and the same export with each.

Run:
    python experiments/studies/coset.py erased     # flash erased, by spare space and workload
    python experiments/studies/coset.py settled    # the figures that decide, over runs of thirty drive writes
    python experiments/studies/coset.py moves      # what the lost spare space costs, and what streams give back
    python experiments/studies/coset.py price      # response, energy, memory, and life by the wear of a further program
    python experiments/studies/coset.py rates [WORKLOAD|RECORDING|TRACE...]   # which rate for which spare space
    python experiments/studies/coset.py classes    # a rate for each class of data, where the host's streams tell it

Drives are full at the start. Made-up workloads write pages of 4 KiB. A recording has a drive that exports what it
touches and little more, and is replayed until it has written the drive several times over.
"""

import math
import sys
from collections.abc import Callable
from functools import cache, partial
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
    chip: str,
    space: float,
    workload: str,
    settings: Settings,
    writes: int = DRIVE_WRITES,
    units: int = UNITS,
    block_pages: int = BLOCK_PAGES,
) -> rewear.Report | None:
    """A run on flash of `space` times the export; `None` where a code leaves too little to clean with."""
    preset, base = CHIPS[chip]
    rate = settings.get("reuse.rate", 0.5 if settings.get("reuse.scheme") == "wom-v" else 1.0)
    spare = space * math.floor(block_pages * rate) / block_pages - 1
    if spare < LEAST_SPARE:
        return None
    options: dict[str, Any] = {"arrival": "closed", "queue_depth": 8, "precondition": "fill"}
    source: rewear.Trace | rewear.Workload
    if workload in RECORDINGS or Path(workload).exists():
        source, touched, written = recording(workload)
        # A block a plane more, since pages are cut evenly.
        blocks = math.ceil(touched * space / (PLANES * block_pages)) + 1
        options |= {"fit": "dense", "loops": math.ceil(writes * touched / written)}
    else:
        blocks = units
        requests = int(writes * units * PLANES * block_pages / space)
        source = rewear.Workload(f"{workload}{',' if ':' in workload else ':'}requests={requests}")
    drive = rewear.Drive(
        preset, set=base | power(preset) | settings | {"flash.pages_per_block": block_pages,
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
    trace = rewear.Trace(Path("recordings") / f"{name}.rwt" if name in RECORDINGS else name)
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
    """Price of the code at 28% of spare space and at 1.75, and lives where a further program wears."""
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


ECC_THRESHOLD = 0.005
"""Share of invalid cells that hard LDPC with 9% of parity corrects beside as many misread bits: advice has the same."""
RATE_SPACES = (1.2, 1.28, 1.5, 1.75, 2.14)
RATE_WRITES, RATE_UNITS = 10, 240
"""Drive writes and units of a run that says which rate: enough for nine writes between two erases."""
RATES_OF_ADVICE = {"MLC": (0.75, 0.6, 0.5, 0.4), "TLC": (0.8, 0.7, 0.6, 0.5, 0.4),
                   "QLC": (0.844, 0.75, 0.667, 0.6, 0.5, 0.4)}  # fmt: skip
"""Those that no denser one with as many writes replaces, where a code leaves no more invalid cells than that."""


def closed_form(rate: float, writes: int, space: float, block_pages: int = BLOCK_PAGES) -> float | None:
    """Bytes erased for a byte written under uniform writes: units are reopened at once, and erased at one age.

    A page dies at rate 1, and its slot is written again until the code has no write left. So a slot of age T has seen
    min(N, writes) deaths, N Poisson with mean T. Each is a byte that the host wrote. The part of its age in which a
    slot is valid is as large on average, and the drive is full: E[min(N, writes)] / T is the export over the slots.
    With one write that is the plain drive (Menon, 1995; Desnoyers, 2012).
    """
    slots = space * math.floor(block_pages * rate) / block_pages
    if slots < 1 + LEAST_SPARE:
        return None

    def deaths(age: float) -> float:
        left, chance = 0.0, math.exp(-age)
        for count in range(writes):
            left += (writes - count) * chance
            chance *= age / (count + 1)
        return writes - left

    young, old = 1e-6, 2.0 * writes * slots
    for _ in range(100):
        middle = (young + old) / 2
        young, old = (middle, old) if deaths(middle) * slots > middle else (young, middle)
    return 1 / (rate * deaths(young))


def writes_of(chip: str, settings: Settings) -> int:
    """Writes between two erases."""
    preset, base = CHIPS[chip]
    derived = rewear.Drive(preset, set=base | settings | {"ftl.over_provisioning": 0.1}).derived
    return int(next(each["value"] for each in derived if each["key"] == "programs_per_page_and_erase"))


def rates() -> None:
    """Which rate for which spare space: the best by the closed form, and the best of it and its neighbours replayed."""
    print("| flash, workload | chip | by the form | best | plain | erased | change | form ", end="")
    print("| response | energy | RAM | life at 0, 0.1, 0.3 |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for workload in sys.argv[2:] or WORKLOADS:
        for space in RATE_SPACES:
            for chip, all_rates in RATES_OF_ADVICE.items():
                rate_row(workload, space, chip, all_rates)


def rate_row(workload: str, space: float, chip: str, all_rates: tuple[float, ...]) -> None:
    """A line of the table."""
    keys = {rate: code(rate) | WEARS for rate in all_rates}
    forms = {rate: closed_form(rate, writes_of(chip, keys[rate]), space, CLASS_PAGES) for rate in all_rates}
    fitting = [rate for rate in all_rates if forms[rate] is not None]
    name = f"{space}, {Path(workload).name.split('.')[0].split(':')[0]} | {chip}"
    plain = replay(chip, space, workload, {}, RATE_WRITES, RATE_UNITS, CLASS_PAGES)
    assert plain is not None
    if not fitting:
        print(f"| {name} | off | off | {erased_of(plain):.3f} | | | | | | | |", flush=True)
        return
    chosen = min(fitting, key=lambda rate: forms[rate] or math.inf)
    at = fitting.index(chosen)
    near = fitting[max(0, at - 1) : at + 2]
    reports = {rate: replay(chip, space, workload, keys[rate], RATE_WRITES, RATE_UNITS, CLASS_PAGES) for rate in near}
    found = {rate: report for rate, report in reports.items() if report is not None}
    rate = min(found, key=lambda rate: erased_of(found[rate]))
    report = found[rate]
    times = [report["mean_response_ns"] / plain["mean_response_ns"], energy_of(report) / energy_of(plain),
             report.derived["controller_bytes"] / plain.derived["controller_bytes"]]  # fmt: skip
    lived = ", ".join(f"{life / tbw(plain):.2f}x" for life in lives(report))
    row = f"{chosen} | {rate} | {erased_of(plain):.3f} | {erased_of(report):.3f} "
    row += f"| {erased_of(report) / erased_of(plain) - 1:+.0%} | {forms[rate]:.3f} "
    print(f"| {name} | {row}| " + " | ".join(f"{each:.2f}x" for each in times) + f" | {lived} |", flush=True)


def lives(report: rewear.Report) -> list[float]:
    """Bytes that can be written by the wear of a further program, of a run in which it wears the most of `FURTHER`."""
    assert report.life is not None
    share = report.life["reprogram_share"]
    alone = tbw(report) / (1 - share)
    further = share / (1 - share) / FURTHER[-1]
    return [alone / (1 + each * further) for each in FURTHER]


HOT = (0.1, 0.9)
"""Part of the data that is hot, and of the writes that it takes."""
STREAM_SPARE = 0.04
"""Spare space below which streams have too few clean units."""
CLASS_WRITES = 12
"""Drive writes of each class: its writes are uniform, so it is steady early."""
CLASS_UNITS, CLASS_PAGES = 480, 64
"""Units of both classes together, and pages of their blocks: many, since each class keeps clean units of its own."""


def classes() -> None:
    """Hot data at one rate, cold at another, on flash of their own: the class is known of every write.

    Such a drive is two drives side by side, each under uniform writes, with the flash divided as the closed form has
    it best. Its rivals know the classes, too: the plain drive so divided, or with the host's streams, and one rate.
    """
    print(
        "| chip, flash | rates, hot and cold | flash of the hot, of its data | form | erased | plain, divided ", end=""
    )
    print("| plain, streams | one rate, streams | change to the best plain | response | energy | life at 0, 0.1, 0.3 |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for space in (1.28, 1.5):
        for chip in reversed(CHIPS):
            class_row(chip, space)


WEARS = {"reuse.ecc_threshold": ECC_THRESHOLD, "flash.life.reprogram_wear": FURTHER[-1]}
Division = tuple[float, float, float, float]
"""Value of the closed form, rates of the hot and of the cold data, and flash over the hot data."""


def divided(space: float, times_written: dict[float, int]) -> Division:
    """The best division of the flash, and the rates."""
    data, writes = HOT

    def least(flash: float) -> tuple[float, float]:
        forms = ((closed_form(rate, count, flash, CLASS_PAGES), rate) for rate, count in times_written.items())
        return min(((form, rate) for form, rate in forms if form is not None), default=(math.inf, 1.0))

    found = []
    for step in range(400):
        of_hot = space + step / 50
        hot, cold = least(of_hot), least((space - data * of_hot) / (1 - data))
        found.append((writes * hot[0] + (1 - writes) * cold[0], hot[1], cold[1], of_hot))
    return min(found)


def side_by_side(chip: str, space: float, division: Division) -> list[rewear.Report]:
    """The drives of the hot and of the cold data, in parts of the same flash."""
    _, hot, cold, of_hot = division
    part = HOT[0] * of_hot / space
    flashes = ((of_hot, hot, part), ((space - HOT[0] * of_hot) / (1 - HOT[0]), cold, 1 - part))
    found = []
    for flash, rate, share in flashes:
        keys = {} if rate == 1.0 else code(rate) | WEARS
        found.append(replay(chip, flash, "uniform", keys, CLASS_WRITES, round(CLASS_UNITS * share), CLASS_PAGES))
    return [report for report in found if report is not None]


def class_row(chip: str, space: float) -> None:
    """A line of the table."""
    times_written = {1.0: 1} | {rate: writes_of(chip, code(rate) | WEARS) for rate in RATES_OF_ADVICE[chip]}
    best_of, plain_of = divided(space, times_written), divided(space, {1.0: 1})
    coded, apart = side_by_side(chip, space, best_of), side_by_side(chip, space, plain_of)
    skewed = f"hot-cold:hot={HOT[0]},hits={HOT[1]},stream=component"
    streams = {"ftl.streams.scheme": "host"}
    plain, *one = (
        replay(chip, space, skewed, streams | keys, CLASS_WRITES, CLASS_UNITS, CLASS_PAGES)
        for keys in ({}, *(code(rate) | WEARS for rate in RATES_OF_ADVICE[chip] if rate * space > 1 + STREAM_SPARE))
    )
    assert plain is not None and len(coded) == len(apart) == 2
    alone = min((erased_of(report) for report in one if report is not None), default=None)

    def mean(reports: list[rewear.Report], figure: Callable[[rewear.Report], float]) -> float:
        return HOT[1] * figure(reports[0]) + (1 - HOT[1]) * figure(reports[1])

    erased, rivals = mean(coded, erased_of), (mean(apart, erased_of), erased_of(plain))
    rival = mean(apart, lambda report: report["mean_response_ns"]), mean(apart, energy_of)
    response = mean(coded, lambda report: report["mean_response_ns"]) / rival[0]
    row = f"{best_of[1]}, {best_of[2]} | {best_of[3]:.2f} | {best_of[0]:.3f} | {erased:.3f} | {rivals[0]:.3f} "
    row += f"| {rivals[1]:.3f} | {'-' if alone is None else f'{alone:.3f}'} | {erased / min(rivals) - 1:+.0%} "
    row += f"| {response:.2f}x | {mean(coded, energy_of) / rival[1]:.2f}x "

    def wear(report: rewear.Report, at: int = 0) -> float:
        """Bytes of flash that a byte written takes of its cycles; both classes share all blocks in turn."""
        life = lives(report)[at] if report["reprograms"] else tbw(report)
        return report.derived["physical_bytes"] / life

    least = min(mean(apart, wear), wear(plain))
    worn = [mean(coded, partial(wear, at=at)) for at in range(len(FURTHER))]
    print(f"| {chip}, {space} | {row}| " + ", ".join(f"{least / each:.2f}x" for each in worn) + " |", flush=True)


def energy_of(report: rewear.Report) -> float:
    """Joules for a byte that the host writes."""
    return report["energy_j"]["total"] / report["host_bytes_written"]


PARTS: dict[str, Callable[[], None]] = {
    "erased": erased,
    "settled": settled,
    "moves": moves,
    "price": price,
    "rates": rates,
    "classes": classes,
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in PARTS:
        sys.exit(f"Give one of: {', '.join(PARTS)}.")
    PARTS[sys.argv[1]]()
