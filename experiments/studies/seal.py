"""The parametric benchmark of extended P/E cycles at the paper's size: tables and pictures of docs/notebook/seal.md.

Margaglia and Brinkmann, "Improving MLC flash performance and endurance with Extended P/E Cycles" (MSST '15), section
V, figures 8 to 15. Run it from the root of the repository after `make build`:

    python experiments/studies/seal.py              # the figures: prints Markdown, writes docs/pictures/seal-*.svg
    python experiments/studies/seal.py sizes        # what the paper leaves open: sizes, limit, moves, idle erases,
    queue depth
"""

import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow.parquet as parquet
import rewear
from matplotlib.figure import Figure
from rewear.page.chart import INK, MUTED, drive_colour, light

PAGE_BYTES = 32768
GIB = 1 << 30
REGIONS = (5, 10, 15, 20, 25, 30, 40, 50)
SKEWS = (40, 60, 80)
SCHEMES = ("none", "seal", "seal-preserve", "automatic")
NAMES = {"none": "baseline", "seal": "seal", "seal-preserve": "seal-preserve", "automatic": "automatic"}
PICTURES = Path("docs/pictures")


@dataclass(frozen=True)
class Point:
    """One run: sizes in bytes, shares in percent."""

    scheme: str
    region: int = 5
    skew: int = 80
    dataset_bytes: int = 6 * GIB
    written_bytes: int = 12 * GIB
    queue_depth: int = 1
    seed: int = 1
    settings: tuple[tuple[str, str], ...] = field(default=())

    def report(self, log: str | None = None) -> rewear.Report:
        """Runs it; the report leaves the warm-up out."""
        pages, writes = self.dataset_bytes // PAGE_BYTES, self.written_bytes // PAGE_BYTES
        reuse = (
            {"reuse.scheme": "none"}
            if self.scheme == "none"
            else {"reuse.scheme": "seal", "reuse.victims": self.scheme}
        )
        drive = rewear.Drive("openssd", set={**reuse, **dict(self.settings)})
        workload = rewear.Workload(
            f"overwrite-regions:region={self.region / 100},skew={self.skew / 100},dataset_pages={pages},writes={writes}"
        )
        return drive.replay(
            workload, queue_depth=self.queue_depth, arrival="closed", warm_up=pages, log=log, seed=self.seed
        )


def erases(report: rewear.Report) -> float:
    """Blocks erased."""
    return float(report["erases"])


def latency_us(report: rewear.Report) -> float:
    """Mean response time of writes and overwrites."""
    return float(report["latency_ns"]["write"]["mean"]) / 1e3


def moved_gib(report: rewear.Report) -> float:
    """Data that garbage collection moved."""
    return float(report["pages_moved"]) * PAGE_BYTES / GIB


def reprogrammed(report: rewear.Report) -> float:
    """Percent of overwrites that were programmed in place."""
    return 100 * float(report["reprograms"]) / max(1, report["overwrites"])


def moved_mib_per_collection(report: rewear.Report) -> float:
    """Data that one garbage collection moved, on average."""
    return float(report["pages_moved"]) * PAGE_BYTES / (1 << 20) / max(1, report["garbage_collections"])


@dataclass(frozen=True)
class Figures:
    """One figure of the paper: what is plotted over the size of the overwrite region, for which schemes."""

    number: str
    label: str
    value: Callable[[rewear.Report], float]
    schemes: Sequence[str]
    digits: int = 0


FIGURES = (
    Figures("8 and 10", "mean latency of a write, us", latency_us, SCHEMES),
    Figures("9 and 11", "moved by garbage collection, GiB", moved_gib, SCHEMES, 2),
    Figures("13", "overwrites programmed in place, %", reprogrammed, SCHEMES[1:], 1),
    Figures("14", "garbage collections (= erases)", erases, SCHEMES),
    Figures("15", "moved by each garbage collection, MiB", moved_mib_per_collection, SCHEMES[:2], 2),
)


def run_all(points: Iterable[Point]) -> dict[Point, rewear.Report]:
    """Reports of points, two at a time."""
    listed = list(points)
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(listed, pool.map(Point.report, listed), strict=True))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints a Markdown table."""
    print("| " + " | ".join(header) + " |")
    print("|" + "|".join("--:" for _ in header) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def paper_figures() -> None:
    """Figures 8 to 11 and 13 to 15 over all points, and figure 12."""
    reports = run_all(Point(scheme, region, skew) for scheme in SCHEMES for skew in SKEWS for region in REGIONS)
    for figure in FIGURES:
        print(f"**Figure {figure.number}: {figure.label}**\n")
        header = ["skew", "", *(f"{region}%" for region in REGIONS)]
        rows = [
            [f"{skew}%", NAMES[scheme]]
            + [f"{figure.value(reports[Point(scheme, region, skew)]):,.{figure.digits}f}" for region in REGIONS]
            for skew in SKEWS
            for scheme in figure.schemes
        ]
        table(header, rows)
        draw(figure, reports)
    distances()


def draw(figure: Figures, reports: dict[Point, rewear.Report]) -> None:
    """Three panels side by side, one a skew."""
    name = "seal-f" + figure.number.replace(" and ", "-")
    with canvas(name, 3) as (drawing, panels, palette):
        for panel, skew in zip(panels, SKEWS, strict=True):
            for scheme in figure.schemes:
                values = [figure.value(reports[Point(scheme, region, skew)]) for region in REGIONS]
                colour = palette(drive_colour(SCHEMES.index(scheme)))
                panel.plot(REGIONS, values, color=colour, marker="o", markersize=3, label=NAMES[scheme])
            panel.set_title(f"skew {skew}%", fontsize=9, color=palette(INK))
            panel.set_xlabel("overwrite region, %")
            panel.set_ylim(bottom=0)
        panels[0].set_ylabel(figure.label)
        panels[-1].legend(fontsize=8)
        drawing.savefig(PICTURES / f"{name}.svg", metadata={"Date": None, "Creator": None})


class canvas:  # noqa: N801 - used as a function
    """A drawing of several panels with a shared scale, in the light colours of the pages."""

    def __init__(self, name: str, panels: int) -> None:
        """Chooses the colours; `name` makes the identifiers of the picture the same in every run."""
        self.palette = light
        settings = {"font.size": 9.5, "axes.grid": True, "axes.grid.axis": "y", "svg.hashsalt": name}
        bare = {f"axes.spines.{side}": False for side in ("left", "right", "top")}
        self.context = matplotlib.rc_context({**settings, **bare, "svg.fonttype": "none", "legend.frameon": False})
        self.panels = panels

    def __enter__(self) -> tuple[Figure, list, Callable[[str], str]]:
        self.context.__enter__()
        drawing = Figure(figsize=(9.2, 3.0), layout="constrained")
        axes = drawing.subplots(1, self.panels, sharey=True, squeeze=False)
        return drawing, list(axes[0]), self.palette

    def __exit__(self, *error: object) -> None:
        self.context.__exit__(*error)


def distances() -> None:
    """Figure 12: gigabytes written between two overwrites of the same page, at skew 80%."""
    print("**Figure 12: GiB written between two overwrites of a page, skew 80%**\n")
    percentiles = (10, 25, 50, 75, 90)
    rows = []
    name = "seal-f12"
    with canvas(name, 1) as (drawing, (panel,), palette):
        for position, region in enumerate(REGIONS):
            measured = np.sort(overwrite_distances_gib(region))
            below = f"{100 * (measured < 3).mean():.0f}%"
            rows.append([f"{region}%", *(f"{value:.2f}" for value in np.percentile(measured, percentiles)), below])
            share = np.arange(1, measured.size + 1) / measured.size * 100
            step = max(1, measured.size // 400)
            panel.plot(measured[::step], share[::step], color=palette(drive_colour(position % 8)), label=f"{region}%")
        panel.axvline(3, color=palette(MUTED), linestyle=":")
        panel.set_xlabel("GiB written between two overwrites of the same page (dotted: 3 GiB, spare and unused space)")
        panel.set_ylabel("% of overwrites")
        panel.set_ylim(0, 100)
        panel.legend(title="region", fontsize=8)
        drawing.savefig(PICTURES / f"{name}.svg", metadata={"Date": None, "Creator": None})
    table(["region", *(f"{value}th percentile" for value in percentiles), "below 3 GiB"], rows)


def overwrite_distances_gib(region: int) -> np.ndarray:
    """Distances of all overwrites in the requests as they were replayed, warm-up included."""
    with tempfile.TemporaryDirectory() as folder:
        log = str(Path(folder) / "log.parquet")
        Point("seal", region, 80).report(log)
        rows = parquet.read_table(log, columns=["operation", "offset_bytes"])
    overwrites = np.flatnonzero(rows["operation"].to_numpy(zero_copy_only=False) == "overwrite")
    offsets = rows["offset_bytes"].to_numpy()[overwrites]
    order = np.lexsort((overwrites, offsets))
    same = np.diff(offsets[order]) == 0
    return np.diff(overwrites[order])[same] * PAGE_BYTES / GIB


def open_choices() -> None:
    """Choices that the paper leaves open: relative erases, latency and moved data."""
    sizes()
    lengths()
    print("**Other choices: relative to the baseline of the same choice (erases, latency, moved)**\n")
    rows = []
    for label, settings, depth in choices():
        row = [label]
        for region, skew in ((5, 60), (5, 80), (20, 80)):
            points = [
                Point(scheme, region, skew, queue_depth=depth, settings=own(settings, scheme))
                for scheme in ("none", "seal")
            ]
            row.append(relative(points, everything=True))
        rows.append(row)
    table(["choice", "region 5%, skew 60%", "5%, 80%", "20%, 80%"], rows)


DATASETS = tuple(int(size * 1e9) for size in (5.0, 5.4, 5.8, 6.0, 6.2, 6.442450944, 6.8, 7.2))
LENGTHS = tuple(gib * GIB for gib in (6, 12, 24, 48, 96))


def sizes() -> None:
    """Erases over the size of the data set: what "6 GB" means."""
    print("**Erases relative to the baseline over the size of the data set, 5% region, 12 GiB written**\n")
    curve("seal-sizes", "data set, 10^9 bytes", [size / 1e9 for size in DATASETS], "dataset_bytes", DATASETS)


def lengths() -> None:
    """Erases over the length of the run: how much of the gain is a beginning."""
    print("**Erases relative to the baseline over what is written, 5% region, 6 GiB**\n")
    curve("seal-lengths", "written, GiB", [length / GIB for length in LENGTHS], "written_bytes", LENGTHS)


def curve(name: str, label: str, scale: Sequence[float], key: str, values: Sequence[int]) -> None:
    """A table and a picture of relative erases, two policies and three skews."""
    points = {
        (scheme, skew, value): Point(scheme, 5, skew, **{key: value})
        for scheme in SCHEMES[:3]
        for skew in SKEWS
        for value in values
    }
    reports = run_all(points.values())
    count = {point: erases(reports[points[point]]) for point in points}
    rows = []
    with canvas(name, 3) as (drawing, panels, palette):
        for panel, skew in zip(panels, SKEWS, strict=True):
            for position, scheme in enumerate(SCHEMES[1:3], 1):
                change = [100 * (count[scheme, skew, value] / count["none", skew, value] - 1) for value in values]
                rows.append([f"{skew}%", NAMES[scheme], *(f"{value:+.0f}%" for value in change)])
                panel.plot(
                    scale, change, color=palette(drive_colour(position)), marker="o", markersize=3, label=NAMES[scheme]
                )
            panel.axhline(0, color=palette(MUTED), linestyle=":")
            panel.set_title(f"skew {skew}%", fontsize=9, color=palette(INK))
            panel.set_xlabel(label)
        panels[0].set_ylabel("erases against the baseline, %")
        panels[-1].legend(fontsize=8)
        drawing.savefig(PICTURES / f"{name}.svg", metadata={"Date": None, "Creator": None})
    table(["skew", "", *(f"{value:.2f}" if value % 1 else f"{value:.0f}" for value in scale)], rows)


def choices() -> list[tuple[str, dict[str, str], int]]:
    """Name, settings and queue depth of each variation."""
    return [
        ("default", {}, 1),
        ("seal-preserve", {"reuse.victims": "seal-preserve"}, 1),
        ("first program not counted (9 programs)", {"reuse.limit_counts_first": "false", "reuse.ecc_bytes": "56"}, 1),
        ("limit 4", {"reuse.limit": "4"}, 1),
        ("limit 16", {"reuse.limit": "16", "reuse.ecc_bytes": "32"}, 1),
        ("limit 64", {"reuse.limit": "64", "reuse.ecc_bytes": "8"}, 1),
        ("moves within the bank", {"ftl.moved_to": "pool"}, 1),
        ("moves apart from host writes", {"ftl.moved_pages": "apart"}, 1),
        ("idle banks erase invalid blocks", {"ftl.background.scheme": "erase-invalid"}, 1),
        (
            "no inverse maps",
            {"ftl.summary_pages": "false", "ftl.summary_reads": "false", "ftl.over_provisioning": "0.125"},
            1,
        ),
        ("static striping", {"ftl.striping": "static-die"}, 1),
        ("queue depth 32", {}, 32),
    ]


def own(settings: dict[str, str], scheme: str) -> tuple[tuple[str, str], ...]:
    """The settings that a scheme has."""
    return tuple((key, value) for key, value in settings.items() if scheme != "none" or not key.startswith("reuse."))


def relative(points: Sequence[Point], everything: bool = False) -> str:
    """The second point relative to the first, in percent of change."""
    reports = run_all(points)
    plain, seal = (reports[point] for point in points)
    values = [erases, latency_us, moved_gib] if everything else [erases]
    return " / ".join(f"{100 * (value(seal) / value(plain) - 1):+.0f}%" if value(plain) else "0/0" for value in values)


if __name__ == "__main__":
    matplotlib.use("svg")
    open_choices() if sys.argv[1:] == ["sizes"] else paper_figures()
