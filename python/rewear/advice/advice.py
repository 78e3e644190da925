"""The answer: which drive to buy, what the host can do, and what firmware could do."""

import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewear._core import version
from rewear.advice.decided import Sure, sure_of
from rewear.advice.plan import Plan
from rewear.advice.row import Row
from rewear.advice.study import Table
from rewear.advice.traits import Traits
from rewear.core.files import write_text
from rewear.core.writers import Writers
from rewear.figures.frames import Shown

if TYPE_CHECKING:
    from rewear.advice.elsewhere import Elsewhere
    from rewear.advice.host import Measure

_YEAR_DAYS = 365.25


@dataclass(frozen=True, slots=True)
class Advice(Shown):
    """Which drive to buy for a workload, how long it lives, and whether a technique would help."""

    traits: Traits
    plan: Plan
    years: float
    """Years that the drive to buy is to live at least."""
    cannot_say: str | None
    """Why nothing can be said and how much to record; everything below is then empty."""
    years_unknown: str | None = None
    """Why years cannot be said though bytes can."""
    doubt: str | None = None
    """Why lives may be too long, though they are said."""
    writers: Writers | None = None
    """Who writes, where the recording tells."""
    sold: tuple[Row, ...] = ()
    """Drives as they are sold, those with the fewest flash cells first."""
    improved: tuple[Row, ...] = ()
    """The same drives with the techniques of the equal table that work on any cells; empty where none helps."""
    measures: tuple["Measure", ...] = ()
    """What the host can do."""
    equal: Table | None = None
    """The techniques in the flash of a drive as sold."""
    more: tuple[Table, ...] = ()
    """Those that need more flash than that, with the best of the others; all drives of a table have the same."""
    elsewhere: tuple["Elsewhere", ...] = ()
    """What techniques that the workload rules out do on the workload they were made for."""
    notes: tuple[str, ...] = ()
    """What was cut, changed or assumed."""
    worst: tuple[Row, ...] = ()
    """The drives on sale under random writes at the recorded rate, where the recording tells too little."""

    @property
    def best(self) -> Row | None:
        """The drive to buy: the fewest flash cells of those that follow the recording and live `years` for sure.

        If none does, the longest life. `None` where years cannot be said, and where no drive was steady.
        """
        known = [row for row in self.sold if row.years is not None and row.steady]
        able = [row for row in known if row.follows] or known
        enough = [row for row in able if row.years is not None and row.years.low >= self.years]
        return next(iter(enough), None) or max(able, key=lambda row: row.years.low if row.years else 0.0, default=None)

    @property
    def sure(self) -> tuple[Sure, ...]:
        """The drives that live `years` though the recording tells too little, the fewest cells first."""
        return sure_of(self.worst, self.years)

    @property
    def buy(self) -> str | None:
        """The label of the drive to buy: that of `best`, or the cheapest that is sure where nothing was replayed."""
        if self.cannot_say is not None:
            return self.sure[0].label if self.sure else None
        return None if self.best is None else self.best.label

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which drive to buy, what the host can do, and what firmware could do; or why nothing can be said."""
        from rewear.advice.words import sentences

        return sentences(self)

    @property
    def bytes_per_day(self) -> dict[str, float]:
        """Bytes a day that this pattern may write for `years`, by steady drive on sale, with the fewest cycles."""
        days = self.years * _YEAR_DAYS
        return {row.label: row.tbw.low / days for row in self.sold if row.tbw is not None and row.steady}

    def records(self) -> list[dict[str, Any]]:
        """A row a drive: `table` (`sold`, or the name of one of techniques), then the figures of `to_dict()`.

        `life_years` and `tbw_bytes` have three columns, with `_low` and `_high` the bounds.
        """
        tables = (("sold", self.sold), *((each.name, each.rows) for each in self.tables))
        return [{"table": name, **_flat(row.to_dict())} for name, rows in tables for row in rows]

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables of techniques, that with the least flash first."""
        return self.more if self.equal is None else (self.equal, *self.more)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All drives of all tables."""
        return (*self.sold, *(row for table in self.tables for row in table.rows))

    def to_dict(self) -> dict[str, Any]:
        """The whole answer as plain data."""
        return {
            "schema": 2,
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
            "capacity_bytes": self.plan.capacity_bytes,
            "least_years": self.years,
            "replay": {
                "precondition": "fill",
                "fit": self.plan.fit,
                "least_loops": self.plan.loops,
                "max_requests": self.plan.max_requests,
                "warm_up": self.plan.warm_up,
                "exported_bytes": self.plan.exported_bytes,
                "scale": self.plan.scale,
            },
            "answer": list(self.sentences),
            "cannot_say": self.cannot_say,
            "years_unknown": self.years_unknown,
            "doubt": self.doubt,
            "buy": self.buy,
            "sure": [{"drive": each.label, "least_life_years": each.years} for each in self.sure],
            "sold": [row.to_dict() for row in self.sold],
            "sold_with_techniques": [row.to_dict() for row in self.improved],
            "bytes_per_day": {label: round(each) for label, each in self.bytes_per_day.items()},
            "who_writes": None if self.writers is None else asdict(self.writers),
            "host": [each.to_dict() for each in self.measures],
            "techniques": {table.name: table.to_dict() for table in self.tables},
            "elsewhere": [each.to_dict() for each in self.elsewhere],
            "notes": list(self.notes),
        }

    def save_drives(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes every drive of the answer as a TOML file, in the order of the tables; they run as they are."""
        where = Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        paths = []
        for position, row in enumerate(self.rows, 1):
            path = where / f"{position:02d}-{file_name(row.label)}.toml"
            write_text(path, row.sized.toml)
            paths.append(path)
        return paths

    def __repr__(self) -> str:
        return f"<rewear.Advice for {self.traits.name!r}: {self.best.label if self.best else 'no drive named'}>"


def _flat(figures: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in figures.items():
        if key in ("life_years", "tbw_bytes"):
            bounds = value or {}
            flat |= {key: bounds.get("mean"), f"{key}_low": bounds.get("low"), f"{key}_high": bounds.get("high")}
        elif key != "drive_toml":
            flat[key] = value
    return flat


def file_name(label: str) -> str:
    """A label in letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
