"""How long drives live under workloads: extrapolated from the steady state, or followed to the last block."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rewear.comparison.comparison import compare
from rewear.core.bench import Say
from rewear.core.drive import Drive, Source
from rewear.core.errors import ConfigurationError
from rewear.core.report import Report
from rewear.core.trace import Trace
from rewear.sold.classes import WholeDrive, whole_drive

PROGRAM_WEARS = (0.0, 0.1, 0.3, 1.0)
"""Parts of a P/E cycle that a program without an erase, or one with a coarse step, is supposed to cost."""

_UNTIL_DEATH = 4_000_000_000
"""Passes enough to wear out any drive."""

_RECORDED_PASSES = 4
"""Passes of a recording at least: what lies still in one pass wears its blocks less, and looks as if it always did."""


@dataclass(frozen=True, slots=True)
class Life:
    """The life of one drive under one workload."""

    label: str
    workload: str
    report: Report
    whole: WholeDrive | None = None
    """The real drive, where the one that was replayed is a smaller model of it."""

    @property
    def factor(self) -> float:
        """Lives of the whole drive over those of the model: their flash."""
        return 1.0 if self.whole is None else self.whole.factor

    @property
    def tbw_bytes_between(self) -> tuple[int, int] | None:
        """Bytes that the host can write with the least and the most P/E cycles that published sources give."""
        between = self.figures.get("tbw_bytes_between")
        return None if between is None else (between[0], between[1])

    @property
    def figures(self) -> dict[str, Any]:
        """The `life` of the report, of the whole drive where the one that was replayed is a model of it."""
        life: dict[str, Any] | None = self.report.life
        if life is None:
            raise ConfigurationError(
                f"Nothing says what the blocks of {self.label} endure, or nothing was written. Give flash.life.cycles "
                "and flash.life.source, or flash.endurance_cycles."
            )
        if self.whole is None:
            return life
        scaled = {**life, "tbw_bytes": round(life["tbw_bytes"] * self.factor)}
        if life.get("second_writes_tbw_bytes") is not None:
            scaled["second_writes_tbw_bytes"] = round(life["second_writes_tbw_bytes"] * self.factor)
        if life.get("tbw_bytes_between") is not None:
            scaled["tbw_bytes_between"] = [round(each * self.factor) for each in life["tbw_bytes_between"]]
        # Drive writes are in capacities, which grow with the flash; a trace's rate does not.
        if life["years"] is not None and life["rate"] == "trace":
            scaled["years"] = life["years"] * self.factor
        return scaled

    @property
    def tbw_bytes(self) -> int:
        """Bytes that the host can write."""
        return int(self.figures["tbw_bytes"])

    @property
    def coarse_programs(self) -> int:
        """Flash pages that an effort scheme programmed in modes faster than the chip's normal one."""
        return int((self.report["effort"] or {}).get("coarse_programs", 0))

    def tbw_bytes_at(self, reprogram_wear: float | None = None, coarse_wear: float | None = None) -> float:
        """Bytes that the host could write if programs cost their cells other parts of a cycle.

        Extrapolated from the counts of the run.

        Args:
            reprogram_wear: Of a program without an erase, 0 to 1; that of the drive unless given.
            coarse_wear: Of a program with a coarse step, beyond others, 0 to 1; that of the drive unless given.
        """
        flash = self.report["drive"]["configuration"]["flash"]
        life = flash.get("life") or {}
        programs = [
            (self.report.reprograms, float(life.get("reprogram_wear", 0.0)), reprogram_wear),
            (self.coarse_programs, float(life.get("coarse_wear", 0.0)), coarse_wear),
        ]
        erased = self.report.flash_erased_bytes or 1

        def times(programs: Sequence[tuple[int, float, float | None]]) -> float:
            now = sum(count * wear for count, wear, _ in programs) * flash["page_bytes"] / erased
            then = sum(count * (wear if other is None else other) for count, wear, other in programs)
            return float((1 + now) / (1 + then * flash["page_bytes"] / erased))

        part = self.figures.get("second_writes_part")
        if part is None:
            return float(self.tbw_bytes * times(programs))
        # Behind the part of a life that has second writes there are only programs with a coarse step.
        first = part * self.figures["second_writes_tbw_bytes"]
        return float(first * times(programs) + (self.tbw_bytes - first) * times(programs[1:]))

    def to_dict(self) -> dict[str, Any]:
        """Label, workload, what is compared, and the `life`, of the whole drive if there is one."""
        return {
            "label": self.label,
            "workload": self.workload,
            "whole_drive": None if self.whole is None else asdict(self.whole),
            "flash_per_exported_byte": self.report.figure("flash_per_exported_byte"),
            "flash_erased_per_byte": self.report.flash_erased_per_byte,
            "steady": self.figures["settled"],
            "life": self.figures,
            "tbw_bytes_by_reprogram_wear": {str(wear): self.tbw_bytes_at(wear) for wear in PROGRAM_WEARS},
            "tbw_bytes_by_coarse_wear": {str(wear): self.tbw_bytes_at(coarse_wear=wear) for wear in PROGRAM_WEARS},
        }


def lifetime(
    sources: Sequence[Source],
    drives: Sequence[tuple[str, Drive]],
    *,
    simulate: bool = False,
    jobs: int | None = None,
    progress: Say | None = None,
    **options: Any,
) -> list[Life]:
    """The life of each drive under each workload, the drives of a workload side by side.

    Extrapolated from a run until the drive is steady, of four passes at least over a recording. With `simulate`
    followed until the exported capacity cannot be kept, which takes blocks that retire (`flash.endurance_cycles`) and
    a small drive.

    The life of a twin, or of a preset of a class of drives, is that of the whole drive that it is a model of. It is
    taken to wear as the model did: the workload spreads over the larger drive with the same shares of hot and cold
    data. A trace whose footprint the model does not hold is refused by the replay.

    Args:
        sources: Traces and workloads.
        drives: Pairs of a label and a drive.
        simulate: Follow the drives to their end.
        jobs: Replays at a time; the number of cores unless given.
        progress: Called with a drive's label and its `Progress`.
        options: Those of `Drive.replay`; `precondition` is `fill` unless given.

    Raises:
        ConfigurationError: Nothing says what the blocks of a drive endure.
        RewearError: Whatever `Drive.replay` raises.
    """
    if simulate:
        for label, drive in drives:
            if drive.configuration["flash"].get("endurance_cycles") is None:
                raise ConfigurationError(
                    f"Blocks of {label} never retire, so it cannot be followed to its end. "
                    "Set flash.endurance_cycles; on a small drive, with few hundred cycles, that takes seconds."
                )
    given = {"precondition": "fill", **{key: value for key, value in options.items() if value is not None}}
    lives = []
    for source in sources:
        passes = _RECORDED_PASSES if isinstance(source, Trace) else 1
        ends = {"loops": _UNTIL_DEATH} if simulate else {"until": "steady", "loops": passes}
        comparison = compare(source, list(drives), jobs=jobs, progress=progress, **(given | ends))
        name = str(comparison.reference.report["source"]["name"])
        lives += [
            Life(run.label, name, run.report, whole_drive(drive))
            for run, (_, drive) in zip(comparison.runs, drives, strict=True)
        ]
    for life in lives:
        _ = life.figures
    return lives
