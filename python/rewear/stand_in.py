"""Stand-ins: how far a workload made from a trace's profile is from the trace itself."""

import math
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewear.comparison.comparison import Comparison, compare
from rewear.core.bench import Say
from rewear.core.drive import Drive
from rewear.core.errors import ConfigurationError
from rewear.core.trace import Trace
from rewear.core.workload import Workload

SCHEMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("plain", {}),
    ("second-write", {"reuse.scheme": "second-write", "flash.endurance_cycles": 100_000}),
    ("wom-v", {"reuse.scheme": "wom-v", "reuse.data_bits": 2, "flash.bits_per_cell": 4}),
    ("differentiated-ecc", {"effort.scheme": "differentiated-ecc"}),
    ("agcr", {"effort.scheme": "agcr"}),
)
"""Drives on which a stand-in is compared unless told otherwise: settings, the first being the reference."""

_TRIES = 8
_FEWEST_BLOCKS = 24
"""Fewer blocks a plane leave no room for cleaning under every scheme."""


@dataclass(frozen=True, slots=True)
class SchemeWorth:
    """Figures of one scheme on a trace and on its stand-in."""

    scheme: str
    real: dict[str, float | None]
    """Figures on the trace: `erases`, `relative_erases` (to the reference), `write_ns` and `read_ns` (mean response),
    and `relative_write`."""
    made: dict[str, float | None]
    """The same on the stand-in."""

    def off(self, figure: str) -> float | None:
        """How far the stand-in's figure is from the trace's, as part of it; `None` where the trace has none."""
        real, made = self.real[figure], self.made[figure]
        return made / real - 1 if real and made is not None else None


@dataclass(frozen=True, slots=True)
class Worth:
    """A trace beside its stand-in."""

    trace: str
    over_provisioning: float
    schemes: tuple[SchemeWorth, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, with how far each figure is off."""
        return {
            "trace": self.trace,
            "over_provisioning": self.over_provisioning,
            "schemes": [
                {
                    "scheme": each.scheme,
                    "real": each.real,
                    "made": each.made,
                    "off": {figure: each.off(figure) for figure in each.real},
                }
                for each in self.schemes
            ],
        }


def worth(
    trace: Trace,
    drive: str | os.PathLike[str] = "toshiba-slc",
    *,
    schemes: Sequence[tuple[str, dict[str, Any]]] = SCHEMES,
    over_provisioning: float = 0.28,
    loops: int = 1,
    content: str | None = None,
    jobs: int | None = None,
    progress: Say | None = None,
) -> Worth:
    """Fits a stand-in to `trace`, replays both on a drive under each scheme and sets the results side by side.

    The drive has so many blocks that it exports the pages that the larger of both touches, so all schemes export the
    same. It is filled before. Addresses are numbered densely, as the stand-in's gaps are of no meaning.

    Args:
        trace: The trace.
        drive: Preset or TOML file; its schemes are replaced.
        schemes: Names with the settings of each; the first is the reference.
        over_provisioning: Over-provisioning of every drive.
        loops: Passes over trace and stand-in.
        content: Parameters of the stand-in's content, from `Trace.fit_content`.
        jobs: Replays at a time.
        progress: Called with a name and its `Progress`.

    Raises:
        RewearError: As `Trace.fit_stand_in`, `compare`.
    """
    if not schemes:
        raise ConfigurationError("There is no scheme to compare. Name at least one.")
    profile = trace.fit_stand_in(content, None if progress is None else lambda state: progress("fit", state))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.toml"
        path.write_text(profile, encoding="utf-8")
        spec = f"stand-in:profile={path}"
        made = Workload(spec)
        # Bytes of the pages that the trace or its stand-in touches, whichever are more.
        touched = 4096 * max(int(each.info()["distinct_pages_touched"]) for each in (trace, made))
        devices = [
            (name, _sized(drive, {"ftl.over_provisioning": over_provisioning, **settings}, touched))
            for name, settings in schemes
        ]
        options: dict[str, Any] = {"precondition": "fill", "fit": "dense", "loops": loops, "arrival": "trace"}
        comparisons = [compare(source, devices, jobs=jobs, progress=progress, **options) for source in (trace, made)]
    on_trace, on_stand_in = comparisons
    rows = tuple(
        SchemeWorth(name, _figures(on_trace, index), _figures(on_stand_in, index))
        for index, (name, _) in enumerate(schemes)
    )
    return Worth(trace.path.name, over_provisioning, rows)


def _figures(comparison: Comparison, index: int) -> dict[str, float | None]:
    # Blocks that are rewritten and not yet erased count for what they have used up: short traces end before.
    keys = {"erases": "erase_equivalents", "write_ns": "latency_ns.write.mean", "read_ns": "latency_ns.read.mean"}
    own, reference = (
        {name: comparison.runs[run].report.figure(key) for name, key in keys.items()} for run in (index, 0)
    )
    relative = {
        f"relative_{name.removesuffix('_ns')}": value / base
        if value is not None and (base := reference[name])
        else None
        for name, value in own.items()
    }
    return own | relative


def _sized(drive: str | os.PathLike[str], settings: dict[str, Any], needed_bytes: int) -> Drive:
    """The drive with as many blocks a plane as it takes to export so much."""
    base: dict[str, Any] = {"reuse.scheme": "none", "recycle.scheme": "none", "effort.scheme": "uniform"}
    base |= {"flash.channels": 4, "flash.dies_per_channel": 1, **settings}
    name = drive if isinstance(drive, str) else Path(drive)
    sized = Drive(name, set=base)
    blocks = int(sized.configuration["flash"]["blocks_per_plane"])
    for _ in range(_TRIES):
        exported = sized.exported_bytes
        wanted = max(_FEWEST_BLOCKS, math.ceil(blocks * needed_bytes / exported * 1.001) + 1)
        if needed_bytes <= exported and wanted >= blocks - 1:
            break
        blocks = wanted if wanted != blocks else blocks + 1
        sized = Drive(name, set={**base, "flash.blocks_per_plane": blocks})
    return sized
