"""The lives of drives under workloads."""

from collections.abc import Callable, Iterable, Sequence

from rewear.comparison.lifetime import PROGRAM_WEARS, Life
from rewear.figures.metrics import years_text
from rewear.figures.units import format_bytes, format_number, format_share
from rewear.page.blocks import Answer, Column, Heading, Part, Sentences, Table, table_of
from rewear.page.chart import Axis, lines

_EVEN = 0.9
"""Evenness below which wear levelling would lengthen a life by more than a tenth."""
_ENDS = {
    "worn-blocks": "worn blocks",
    "uncorrectable-pages": "uncorrectable pages",
    "worn-cache": "a worn SLC cache",
}
_KINDS: tuple[tuple[str, str, Callable[[Life], int]], ...] = (
    ("without an erase", "reprogram_wear", lambda life: int(life.report.reprograms)),
    ("with a coarse step", "coarse_wear", lambda life: life.coarse_programs),
)
"""Programs that are no ordinary ones: what they are called, the wear that is supposed, and their count."""


def _erased(life: Life) -> str:
    """Flash erased for a byte written, in the long run where it is known."""
    cost = (life.report.long_run or {}).get("flash_erased_per_byte") or life.report.flash_erased_per_byte or 0.0
    return f"{cost:.3f}"


def _written(life: Life) -> str:
    tbw, between = format_bytes(life.tbw_bytes), life.tbw_bytes_between
    return tbw if between is None else f"{tbw} ({format_bytes(between[0])} to {format_bytes(between[1])})"


def _at_rate(life: Life) -> str:
    return "-" if life.figures["years"] is None else years_text(life.figures["years"])


_COLUMNS: list[Column] = [
    ("flash for a byte", lambda life: f"{life.report.figure('flash_per_exported_byte'):.2f}"),
    ("erased for a byte", _erased),
    ("evenness", lambda life: format_share(life.figures["evenness"])),
    ("written", _written),
    ("drive writes", lambda life: f"{life.figures['drive_writes']:,.0f}"),
    ("a day, 5 years", lambda life: f"{life.figures['drive_writes_per_day']:.2f}"),
    ("at the run's rate", _at_rate),
    ("ends by", lambda life: _ENDS[life.figures["ends"]]),
]


def lifetime_answer(lives: Sequence[Life]) -> Answer:
    """A table of lives a workload, what programs would cost that are no ordinary ones, and what kills first."""
    labels, workloads = _distinct(life.label for life in lives), _distinct(life.workload for life in lives)
    about = (
        "What can be written until the exported capacity cannot be kept. Extrapolated from a run until the drive was "
        "steady, unless it was followed to its end."
    )
    rows = [{"series": life.label, "x": life.workload, "y": life.figures["drive_writes"]} for life in lives]
    chart = lines(
        "Life by workload", "Exported capacities that can be written. Higher is better; logarithmic.",
        rows, Axis(names=workloads), Axis("drive writes until death", log=True), labels, point=True,
    )  # fmt: skip
    return Answer(
        "life of drives",
        _headline(lives, labels, workloads),
        [about],
        _figures(lives),
        [chart],
        details=[Heading("What kills first"), Sentences([_death(life) for life in lives], "list")],
        data=[life.to_dict() for life in lives],
    )


def _figures(lives: Sequence[Life]) -> list[Part]:
    parts: list[Part] = []
    for workload in _distinct(life.workload for life in lives):
        alike = [life for life in lives if life.workload == workload]
        parts += [table_of("", alike, [(workload, lambda life: life.label), *_COLUMNS]), ""]
    for kind, key, count in _KINDS:
        rows = [
            [
                f"{life.label}, {life.workload}",
                *(format_bytes(life.tbw_bytes_at(**{key: wear})) for wear in PROGRAM_WEARS),
            ]
            for life in lives
            if count(life)
        ]
        costs = (f"If a program {kind} costs", *(f"{wear:g} of a cycle" for wear in PROGRAM_WEARS))
        parts += [Table(costs, rows), ""] if rows else []
    parts += _distinct(f"{life.figures['cycles']:,} cycles: {life.figures['source']}" for life in lives)
    parts += [
        f"{life.label}, {life.workload}: not steady, so its life is uncertain"
        for life in lives
        if not life.figures["settled"]
    ]
    for life in {life.label: life for life in lives}.values():
        parts += _notes(life)
    return parts


def _notes(life: Life) -> list[str]:
    """Assumptions behind the figures of a drive, and what would change them."""
    notes = []
    if life.whole is not None:
        model = format_bytes(life.report.derived["physical_bytes"])
        notes.append(
            f"{life.label} is replayed as a model with {model} of flash. Lives are those of the whole drive "
            f"({life.whole.name}, {format_bytes(life.whole.capacity_bytes)} exported, "
            f"{format_bytes(life.whole.flash_bytes)} of flash), {format_number(life.whole.factor)}x the model's. That "
            "takes the workload to spread over the whole drive with the same shares of hot and cold data."
        )
    ftl = life.report["drive"]["configuration"]["ftl"]
    if ftl["wear_levelling"]["scheme"] == "none" and life.figures["evenness"] < _EVEN:
        notes.append(
            f"{life.label} does not level wear, so the mean block uses {format_share(life.figures['evenness'])} of its "
            "cycles. Drives on sale do: --set ftl.wear_levelling.scheme=static --set ftl.wear_levelling.spread=50, "
            "or a preset of a class of drives (rewear list drives)."
        )
    return notes


def _headline(lives: Sequence[Life], labels: list[str], workloads: list[str]) -> str:
    if len(lives) == 1:
        return f"{lives[0].label} dies after {format_bytes(lives[0].tbw_bytes)}"
    if len(labels) == 1:
        low, high = min(lives, key=lambda life: life.tbw_bytes), max(lives, key=lambda life: life.tbw_bytes)
        return f"{labels[0]} dies after {format_bytes(low.tbw_bytes)} to {format_bytes(high.tbw_bytes)}"
    first = [life for life in lives if life.workload == workloads[0]]
    best = max(first, key=lambda life: life.tbw_bytes)
    flash = best.report.figure("flash_per_exported_byte") or 0.0
    return (
        f"{best.label} takes {format_bytes(best.tbw_bytes)} of {workloads[0]}, "
        f"on {format_number(flash)} bytes of flash for a byte exported"
    )


def _death(life: Life) -> str:
    """The first cause of a drive's end."""
    figures = life.figures
    how = "died" if figures["simulated"] else "would die"
    said = f"{life.label} under {life.workload} {how} of "
    if figures["ends"] == "uncorrectable-pages":
        said += (
            f"pages that are not corrected any more: that begins at {figures['uncorrectable_cycles']:,.0f} cycles, "
            "before the rated ones"
        )
    elif figures["ends"] == "worn-cache":
        said += "its SLC cache, whose blocks used up their cycles before the others"
    else:
        said += f"blocks that used up their {figures['cycles']:,} cycles"
        if figures["uncorrectable_cycles"] is not None:
            said += f"; pages would be corrected up to {figures['uncorrectable_cycles']:,.0f}"
    said += f". The mean block used {format_share(figures['evenness'])} of its cycles by then"
    if figures["reprogram_share"]:
        said += f", {format_share(figures['reprogram_share'])} of them by programs without an erase"
    if figures.get("coarse_share"):
        said += f", {format_share(figures['coarse_share'])} of them by coarse program steps"
    return f"{said}."


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
