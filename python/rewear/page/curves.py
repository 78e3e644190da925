"""Write amplification over a run: the drive's beside its twin's."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from rewear.errors import ConfigurationError
from rewear.page.svg import INK, MUTED, drive_colour, figure, standalone_svg, to_svg
from rewear.twin.predict import Prediction

__all__ = ["curves_svg"]

_COLUMNS = 2


def curves_svg(predictions: Sequence[Prediction]) -> str:
    """A picture of each curve as an SVG file, the measured one grey and the expected one coloured.

    Raises:
        ConfigurationError: No point is a curve.
    """
    curves = [each for each in predictions if each.curve]
    if not curves:
        raise ConfigurationError("No point is a curve, so there is nothing to draw. A curve has several numbers.")
    rows = -(-len(curves) // _COLUMNS)
    with figure(0.5 + 1.35 * rows, "curves") as (drawing, whole):
        whole.remove()
        most = max(max(*each.curve, *each.point.curve) for each in curves)
        grid = drawing.subplots(rows, _COLUMNS, sharey=True, squeeze=False)
        for axes in grid.flat[len(curves) :]:
            axes.remove()
        for position, (axes, each) in enumerate(zip(grid.flat, curves, strict=False)):
            _draw(axes, each, labelled=position == 0)
            axes.set_ylim(0.8, most * 1.08)
        element = to_svg(drawing, "Write amplification over runs, measured and expected", {})
    return standalone_svg(element)


def _draw(axes: Axes, each: Prediction, labelled: bool) -> None:
    parts = len(each.curve)
    edges = [(each.point.drive_writes or parts) * part / parts for part in range(parts + 1)]
    for values, colour, label in ((each.point.curve, drive_colour(0), "drive"), (each.curve, drive_colour(1), "twin")):
        axes.stairs(values, edges, baseline=None, color=colour, linewidth=1.6, label=label)
    axes.set_title(_title(each), fontsize=8, color=INK, loc="left")
    axes.tick_params(labelsize=7.5)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.grid(axis="y")
    axes.set_xlabel("drive writes", fontsize=7.5, color=MUTED, labelpad=1)
    if labelled:
        axes.legend(fontsize=7.5, loc="upper left")


def _title(each: Prediction) -> str:
    return f"{each.point.name or each.point.workload}: off by {each.absolute_error:.2f}"
