"""The answer: ranked drives, which of them no other beats, and what to take."""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewear._core import version
from rewear.advice.chips import Chip
from rewear.advice.figures import FIGURES, LIFE, interval_of
from rewear.advice.plan import Plan
from rewear.advice.rivals import Excluded, Rival
from rewear.advice.scaling import SCALED, scaling
from rewear.advice.sizing import Sized
from rewear.advice.traits import Traits
from rewear.files import write_text
from rewear.frames import Frames, html_table
from rewear.report import Report
from rewear.uncertainty import Interval

if TYPE_CHECKING:
    from rewear.advice.elsewhere import Elsewhere

__all__ = ["Advice", "Row"]

YEAR_S = 365.25 * 86400.0
_FRONT = ("mean_response_ns", "energy_j_per_byte")
"""What the front weighs beside the life; lower is better."""
_EVEN = 0.99
"""Part of a life from which another one is even with it."""
_NEARLY, _MUCH_QUICKER = 0.8, 0.5
"""Part of the life and of the response of the best drive at which another one is worth its name."""


@dataclass(frozen=True, slots=True)
class Row:
    """A drive of the answer and what came of it."""

    rival: Rival
    sized: Sized
    reports: tuple[Report, ...]
    """One a seed."""
    scale: float
    """How many of these drives the drive that is asked about amounts to."""
    bytes_per_second: float | None = None
    """What the host writes a second, as recorded; `None` where there are no times."""
    later: Report | None = None
    """The drive once blocks no longer take second writes; `None` on drives without them."""

    @property
    def label(self) -> str:
        """What the drive is called."""
        return self.rival.label

    @property
    def flash_bytes(self) -> int:
        """Flash of the drive that is asked about."""
        return round(int(self.reports[0].derived["physical_bytes"]) * self.scale)

    @property
    def room_bytes(self) -> int:
        """Data that the flash holds without any spare space: what the drive could export at most."""
        return round(self.sized.usable_bytes * self.scale)

    def figure(self, key: str) -> Interval | None:
        """One of the figures over the seeds, by a key of `FIGURES` or `LIFE`, or `life_years`.

        It is that of the drive that is asked about: `SCALED` names those that grow with the drive.
        """
        if key == "life_years":
            written = [LIFE["tbw_bytes"](report, self.flash_bytes, self.later) for report in self.reports]
            rate = self.bytes_per_second
            return interval_of([each / rate / YEAR_S if each and rate else None for each in written])
        if key in LIFE:
            return interval_of([LIFE[key](report, self.flash_bytes, self.later) for report in self.reports])
        scale = self.scale if key in SCALED else 1.0
        values = [FIGURES[key](report) for report in self.reports]
        return interval_of([None if value is None else value * scale for value in values])

    def mean(self, key: str) -> float | None:
        """The mean of a figure over the seeds."""
        interval = self.figure(key)
        return None if interval is None else interval.mean

    @property
    def complete(self) -> bool:
        """Whether every replay came to its end."""
        return all(report.complete for report in self.reports)

    @property
    def wore(self) -> bool:
        """Whether flash was erased in the replays, without which nothing is known of the life."""
        return self.mean("bytes_per_cycle") is not None

    def to_dict(self) -> dict[str, Any]:
        """Figures, settings and the drive, as plain data."""
        figures = {key: self.figure(key) for key in ("life_years", *LIFE, *FIGURES)}
        return {
            "label": self.label,
            "technique": self.rival.technique,
            "axis": self.rival.axis,
            "source": self.rival.source,
            "flash_bytes": self.flash_bytes,
            "room_bytes": self.room_bytes,
            "complete": self.complete,
            "figures": {
                key: None
                if each is None
                else {"mean": each.mean, "low": each.low, "high": each.high, "seeds": each.seeds}
                for key, each in figures.items()
            },
            "drive_toml": self.sized.toml,
        }


@dataclass(frozen=True, slots=True)
class Advice(Frames):
    """Which technique helps a workload on a chip, at what price."""

    traits: Traits
    chip: Chip
    plan: Plan
    slowdown: float
    """Most times the plain drive's mean response that the drive to take may have."""
    arrival: str
    """`trace`, or `closed` with `queue_depth` requests in flight."""
    queue_depth: int
    rows: tuple[Row, ...]
    """The best setting of each technique, combinations and references, ranked: the longest life first."""
    tried: tuple[Row, ...]
    """The other settings, one seed each."""
    excluded: tuple[Excluded, ...]
    elsewhere: tuple["Elsewhere", ...]
    """What techniques that the workload rules out do on the workload they were made for."""
    notes: tuple[str, ...]
    """What was cut, changed or assumed."""

    @property
    def reference(self) -> Row:
        """The plain drive with all the flash."""
        return next(row for row in self.rows if row.rival.technique == "plain" and row.rival.flash_share == 1.0)

    @property
    def best(self) -> Row:
        """What to take: the longest life at no more than `slowdown` times the plain drive's mean response.

        Among drives that are even in life it is the quickest.
        """
        most_ns = response_of(self.reference) * self.slowdown
        return _longest([row for row in self.contenders if row is self.reference or response_of(row) <= most_ns])

    @property
    def longest(self) -> Row:
        """The drive that lives longest, however slowly it answers; `best` where that is even with it."""
        longest = _longest(self.contenders)
        return self.best if life_of(self.best) >= life_of(longest) * _EVEN else longest

    @property
    def quicker(self) -> Row | None:
        """A drive that lives nearly as long as `best` and answers in half the time at most, if there is one.

        Nearly is four fifths of its life, and longer than the plain drive.
        """
        best, plain = self.best, self.reference
        least = max(life_of(best) * _NEARLY, life_of(plain) * 1.01)
        found = [
            row for row in self.front if life_of(row) >= least and response_of(row) <= response_of(best) * _MUCH_QUICKER
        ]
        return max(found, key=life_of, default=None)

    @property
    def contenders(self) -> tuple[Row, ...]:
        """The drives that have all the flash, came to the end of the workload and wore.

        A drive that erased nothing says nothing of its life. Where that is the plain drive, the workload is too short
        to tell, and the plain drive is the only one.
        """
        if self.is_too_short:
            return (self.reference,)
        worn = tuple(row for row in self.rows if row.rival.flash_share == 1.0 and row.wore)
        return tuple(row for row in worn if row.complete) or worn

    @property
    def is_too_short(self) -> bool:
        """Whether the plain drive erased nothing, so that there is no life to compare with."""
        return not self.reference.wore

    @property
    def front(self) -> tuple[Row, ...]:
        """The drives with all the flash that no other beats in life, response and energy at once (Pareto front)."""
        return front_of(self.contenders)

    @property
    def sentences(self) -> tuple[str, str, str]:
        """What to take, what it costs, and what would change the answer."""
        from rewear.advice.words import sentences

        return sentences(self)

    def records(self) -> list[dict[str, Any]]:
        """A row a drive: `drive`, `technique`, `flash_bytes`, `room_bytes`, then the figures of `to_dict()`.

        Each has three columns: the mean over the seeds under its name, and `NAME_low` and `NAME_high`, between which
        it lies with 95% confidence.
        """
        return [
            {
                "drive": row.label,
                "technique": row.rival.technique,
                "flash_bytes": row.flash_bytes,
                "room_bytes": row.room_bytes,
                **{name: value for key in ("life_years", *LIFE, *FIGURES) for name, value in _columns(row, key)},
            }
            for row in self.rows
        ]

    def _repr_html_(self) -> str:
        from rewear.advice.columns import cell, columns

        shown = columns(self)
        rows = [(row.label, *(cell(row, key) for _, key in shown)) for row in self.rows]
        return html_table(self.sentences[0], ("drive", *(title for title, _ in shown)), rows, self.sentences[1:])

    def to_dict(self) -> dict[str, Any]:
        """The whole answer as plain data."""
        front = self.front
        return {
            "schema": 1,
            "rewear": version(),
            "workload": {
                "name": self.traits.name,
                "lines": dict(self.traits.lines()),
                "requests": self.traits.requests,
                "bytes_written": self.traits.bytes_written,
                "touched_bytes": self.traits.touched_bytes,
                "shift_bytes": self.traits.shift_bytes,
                "volumes": list(self.traits.volumes),
            },
            "chip": self.chip.name,
            "flash_bytes": self.plan.flash_bytes,
            "capacity_bytes": self.plan.capacity_bytes,
            "scaling": scaling(self.plan),
            "replay": {
                "precondition": "fill",
                "fit": self.plan.fit,
                "loops": self.plan.loops,
                "max_requests": self.plan.max_requests,
                "warm_up": self.plan.warm_up,
                "arrival": self.arrival,
                "queue_depth": self.queue_depth,
                "seeds": list(self.plan.seeds),
            },
            "answer": list(self.sentences),
            "take": self.best.label,
            "most_slowdown": self.slowdown,
            "longest": self.longest.label,
            "drives": [{**row.to_dict(), "on_the_front": row in front} for row in self.rows],
            "tried": [row.to_dict() for row in self.tried],
            "excluded": [{"technique": each.technique, "reason": each.reason} for each in self.excluded],
            "elsewhere": [each.to_dict() for each in self.elsewhere],
            "notes": list(self.notes),
        }

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict()` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def to_html(self, command: str | None = None) -> str:
        """A self-contained page whose first screen is the answer. `command` is shown as what made it."""
        from rewear.page.advice import render_advice

        return render_advice(self, command)

    def save_html(self, path: str | os.PathLike[str], command: str | None = None) -> None:
        """Writes `to_html()` to a file."""
        write_text(path, self.to_html(command))

    def save_drives(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes every drive of the answer as a TOML file, the best first; they run as they are."""
        where = Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        paths = []
        for position, row in enumerate(self.rows, 1):
            path = where / f"{position:02d}-{file_name(row.label)}.toml"
            write_text(path, row.sized.toml)
            paths.append(path)
        return paths

    def __repr__(self) -> str:
        return f"<rewear.Advice for {self.traits.name!r} on {self.chip.name}: take {self.best.label}>"


def _columns(row: Row, key: str) -> list[tuple[str, float | None]]:
    """Mean, low and high of a figure, with the names of their columns."""
    found = row.figure(key)
    values = (None, None, None) if found is None else (found.mean, found.low, found.high)
    return list(zip((key, f"{key}_low", f"{key}_high"), values, strict=True))


def file_name(label: str) -> str:
    """A label in letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def life_of(row: Row) -> float:
    """What a drive is ranked by: the bytes written for each cycle of its flash; infinite where nothing was erased."""
    return row.mean("bytes_per_cycle") or float("inf")


def response_of(row: Row) -> float:
    """Mean response in nanoseconds; 0 where nothing was answered."""
    return row.mean("mean_response_ns") or 0.0


def _longest(rows: Sequence[Row]) -> Row:
    """The longest life, among even ones the quickest."""
    longest = max(life_of(row) for row in rows)
    return min((row for row in rows if life_of(row) >= longest * _EVEN), key=response_of)


def ranked(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The longest life first, among even ones the quickest; those that ended early or did not wear last."""

    def key(row: Row) -> tuple[bool, bool, float, float]:
        return not row.complete, not row.wore, -float(f"{life_of(row):.2e}"), response_of(row)

    return tuple(sorted(rows, key=key))


def front_of(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows that no other beats in life, response and energy at once."""
    return tuple(row for row in rows if not any(_beats(other, row) for other in rows))


def _beats(one: Row, other: Row) -> bool:
    """Whether `one` is nowhere worse than `other` and somewhere better, by more than a thousandth."""
    costs = [(1 / life_of(one), 1 / life_of(other))]
    costs += [(a, b) for key in _FRONT if (a := one.mean(key)) is not None and (b := other.mean(key)) is not None]
    return all(a <= b * 1.001 for a, b in costs) and any(a < b * 0.999 for a, b in costs)
