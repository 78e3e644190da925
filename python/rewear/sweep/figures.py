"""The figures that tables and plots of a sweep show, and what runs are related to."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from rewear.core.errors import ConfigurationError, near
from rewear.core.report import Report
from rewear.figures.metrics import BOOK, METRICS, Metric, figure_named
from rewear.figures.uncertainty import Interval
from rewear.sweep.grid import CASE
from rewear.sweep.results import Results, Row, report_columns
from rewear.sweep.settings import is_number

_USUAL = (
    "flash_erased_per_byte",
    "long_run_flash_erased_per_byte",
    "write_amplification",
    "write_mean_ns",
    "read_mean_ns",
)


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that differ in nothing but their seed."""

    coordinates: dict[str, str]
    """Labels by axis, those that vary the seed left out."""
    rows: tuple[Row, ...]

    @property
    def label(self) -> str:
        """The runs in few words."""
        return self.coordinates.get(CASE) or " ".join(f"{name}={label}" for name, label in self.coordinates.items())

    @property
    def reports(self) -> list[Report]:
        """Reports of those runs that did not fail."""
        return [row.report for row in self.rows if row.report is not None]

    def is_too_short_for(self, metric: Metric) -> bool:
        """Whether a figure of wear is not told by these runs, because one of them was too short."""
        return metric.takes_length and any(report.too_short is not None for report in self.reports)


def groups_of(results: Results) -> list[Group]:
    """The runs by everything but the seed, in the order of the sweep."""
    repeats = {axis.name for axis in results.description.axes if axis.repeats}
    found: dict[tuple[tuple[str, str], ...], list[Row]] = {}
    for row in results.rows:
        kept = tuple((name, label) for name, label in row.job.coordinates.items() if name not in repeats)
        found.setdefault(kept, []).append(row)
    return [Group(dict(coordinates), tuple(rows)) for coordinates, rows in found.items()]


def value_of(metric: Metric, group: Group) -> Interval | None:
    """Mean, least and most over the seeds; `None` unless every run that did not fail has it, and at least one does."""
    values = [metric.value(report) for report in group.reports]
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    # The mean of equal whole numbers stays one, so that it is written without decimals.
    return Interval(known[0] if min(known) == max(known) else fmean(known), min(known), max(known))


def reference_of(results: Results, group: Group, groups: Sequence[Group]) -> Group | None:
    """The group to which another is related: at the reference's points, elsewhere where the other is; never itself."""
    reference = results.description.reference
    if not reference:
        return None
    if CASE in reference:
        wanted = reference
    elif CASE in group.coordinates:
        # A case lies on no axis, so there is a counterpart only if the reference fixes all of them.
        wanted = reference
    else:
        wanted = {**group.coordinates, **reference}
    if wanted == group.coordinates:
        return None
    return next((other for other in groups if other.coordinates == wanted), None)


def figures_of(results: Results, names: Sequence[str] = ()) -> list[Metric]:
    """The figures to show: `names`, or those of the sweep file, or the usual ones that some run has.

    Raises:
        ConfigurationError: No run has a figure that was named.
    """
    reports = [row.report for row in results.rows if row.report is not None]
    chosen = tuple(names) or results.description.figures
    if not chosen:
        usual = [BOOK[key] for key in _USUAL]
        return [metric for metric in usual if any(metric.value(report) is not None for report in reports)]
    return [_named(name, reports) for name in chosen]


def figure_title(metric: Metric) -> str:
    """Name of a figure where its group does not stand above it."""
    if not metric.group:
        # The name of a column, which stays as it is.
        return metric.title
    if metric.unit == "time" and metric.key != "mean_response_ns":
        return f"{metric.group}, {metric.title}"
    if metric.unit == "energy":
        return f"Energy, {metric.title}"
    return metric.title[:1].upper() + metric.title[1:]


def _named(name: str, reports: Sequence[Report]) -> Metric:
    """A figure by its key or column."""
    metric = figure_named(name)
    if name not in BOOK and reports and not any(is_number(metric.value(report)) for report in reports):
        known = {
            key for report in reports for key, value in report_columns(report.to_dict()).items() if is_number(value)
        }
        titled = [each.key for each in METRICS]
        raise ConfigurationError(
            f"No run has a figure {name!r}.{near(name, [*titled, *known])} Figures are: {', '.join(titled)}; or any "
            "column of the results that holds numbers."
        )
    return metric
