"""The claims of a paper as data: `experiments/papers/NAME/claims.toml`."""

import datetime
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rewear.core.strict import Table, read_toml
from rewear.reproduce.band import Band, parse_bands
from rewear.reproduce.number import Number, parse_number
from rewear.reproduce.switch import Switch, parse_switch

KINDS = {
    "measured": "a number, an order or a curve that the paper measured",
    "definition": "a code, an equation or an arithmetic of the paper, which must match",
    "setup": "what the paper was measured with, compared with our presets and stand-ins",
    "theory of our own": "derived here, where the paper names a source that was not at hand",
}
"""Counted apart: only the first can disprove a paper."""

REASONS = (
    "trace",
    "unstated setting",
    "stated setting not followed",
    "policy",
    "the authors' code differs",
    "the paper contradicts itself",
    "not known",
)
"""Why a sentence differs: the trace is another one, the paper does not say a setting, and so on."""

Unit = Literal["percent", "change", "points", "factor", "count", "time", "plain"]
"""How a number is written: 0.3 as 30%, +30%, +30 points, x 0.3; a count; nanoseconds as a time; as it is."""


@dataclass(frozen=True, slots=True)
class Part:
    """One number of a claim, or one for each label of an axis, and where it must lie."""

    says: str
    number: Number
    bands: dict[str, Band]
    """By label; the empty label stands for all."""
    equals: Any
    """What it must be exactly; `None` where there is a band."""
    because: str
    """Why the band is as wide as it is."""
    share: float = 1.0
    """Part of the numbers that must lie inside, where the paper says "most"."""
    unit: Unit = "plain"
    sentence: str = ""
    """What it tests of the paper; parts of one sentence count once."""
    headline: str = ""
    """Its name on the first screen, if it is the paper's headline result."""

    def band(self, label: str) -> Band:
        """The band of the number of a label."""
        return self.bands.get(label) or self.bands[""]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the paper says and no part tests."""

    says: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of a paper."""

    prefix: str
    """Begins the names of the paper's claims and figures."""
    id: str
    kind: str
    where: str
    """Section, table or figure."""
    text: str
    """The statement in our words."""
    parts: tuple[Part, ...]
    left_out: tuple[LeftOut, ...]
    switches: tuple[Switch, ...]
    needs: str | None = None
    """What would be needed to tell; such a claim has no parts."""
    of_traces: bool = False
    """Whether it speaks of the paper's own traces, so that others can neither show nor disprove it."""
    reasons: tuple[str, ...] = ()
    """Why it differs, as far as experiments show: words of `REASONS`."""
    note: str = ""
    """What a reader should know whatever the verdict is."""

    @property
    def name(self) -> str:
        """The claim among those of all papers, such as `reusable.F7`."""
        return f"{self.prefix}.{self.id}"

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All numbers behind it: those of its parts, and the same under its switches."""
        own = [part.number for part in self.parts]
        return (*own, *(switch.applied(number) for switch in self.switches for number in own))

    @property
    def experiments(self) -> tuple[str, ...]:
        """Names of the experiments behind it."""
        return tuple(dict.fromkeys(number.experiment for number in self.numbers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting of a paper's claims, frozen on a day; a change is another row."""

    says: str
    """What is set, and to what."""
    source: str
    """Section of the paper, the authors' released code, or our reason."""
    since: datetime.date
    after_results: bool = False
    """Whether it was chosen when results had been seen."""
    keys: tuple[str, ...] = ()
    """Keys of experiments that it gives values to; a test asks that none is without a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a paper is, and what it claims."""

    paper: str
    """Short name: the folder in `experiments/papers`, and the name of the scheme everywhere else."""
    prefix: str
    """Begins the names of its claims and figures, which stay when a folder gets another name."""
    title: str
    authors: str
    venue: str
    proposes: str = ""
    """What the paper proposes, in a sentence for who does not know it."""
    short: str = ""
    """What holds and what does not, in at most 25 words."""
    before: dict[str, dict[str, int]] = field(default_factory=dict)
    """Sentences by mark on earlier pages, by their day."""
    setting: str = ""
    """The one setting that all of its claims use, and where it departs from the paper's."""
    why: str = ""
    """What holds, what does not, and why: three sentences."""
    settings: tuple[Setting, ...]
    claims: tuple[Claim, ...]


def read_claims(path: Path) -> Claims:
    """Reads a file of claims.

    Raises:
        ConfigurationError: It is wrong; the message names the line.
    """
    root = read_toml(path)
    paper = path.parent.name
    prefix = root.get("prefix", str, paper)
    claims = tuple(_claim(prefix, table) for table in root.tables("claim"))
    names = [claim.id for claim in claims]
    for name in names:
        if names.count(name) > 1:
            root.wrong("claim", f"Two claims are called {name!r}.")
    settings = tuple(table.read(Setting) for table in root.tables("set"))
    before = root.get("before", dict, {})
    return root.read(Claims, paper=paper, prefix=prefix, before=before, settings=settings, claims=claims)


def _claim(prefix: str, table: Table) -> Claim:
    experiment = table.get("experiment", str, None)
    kind = table.word("kind", tuple(KINDS))
    parts = tuple(_part(each, experiment) for each in table.tables("part"))
    needs = table.line("needs", None)
    if (needs is None) == (not parts):
        table.wrong(None, "A claim has parts, or says what it needs; this one has both or neither.")
    for reason in table.texts("reasons", ()):
        if reason not in REASONS:
            table.wrong("reasons", f"{reason!r} is no reason. Give some of: {', '.join(REASONS)}.")
    left_out = tuple(each.read(LeftOut) for each in table.tables("left_out"))
    numbers = [part.number for part in parts]
    switches = tuple(parse_switch(each, numbers, table.path.parent) for each in table.tables("switch"))
    return table.read(Claim, prefix=prefix, kind=kind, parts=parts, left_out=left_out, switches=switches)


def _part(table: Table, experiment: str | None) -> Part:
    number = parse_number(table, experiment)
    bands, because = parse_bands(table, number.labels)
    equals = table.get("equals", (int, float, str, bool, dict, list), None)
    sentence = table.get("sentence", str, "") or table.get("says", str)
    part = table.read(Part, number=number, bands=bands, equals=equals, because=because, sentence=sentence)
    if not 0 < part.share <= 1:
        table.wrong("share", "share must be above 0 and at most 1.")
    return part
