"""Write amplification over a run: the drive's beside its twin's."""

from collections.abc import Sequence

from rewear.core.errors import ConfigurationError
from rewear.page.chart import Axis, Chart, Layer, Row, colours_of, picture
from rewear.twin.points import Point
from rewear.twin.predict import Prediction

_COLUMNS = 2
_HEIGHT = 80
_COLOURS = colours_of(("drive", "twin"))


def check_curves(points: Sequence[Point]) -> None:
    """Raises where there is nothing to draw, which is known before the first replay.

    Raises:
        ConfigurationError: No point is a curve.
    """
    if not any(point.curve for point in points):
        raise ConfigurationError("No point is a curve, so there is nothing to draw. A curve has several numbers.")


def curves_svg(predictions: Sequence[Prediction]) -> str:
    """A picture of each curve as an SVG file, the measured one grey and the expected one coloured.

    Raises:
        ConfigurationError: No point is a curve.
    """
    curves = [each for each in predictions if each.curve]
    check_curves([each.point for each in curves])
    most = 1.08 * max(max(*each.curve, *each.point.curve) for each in curves)
    charts = [_chart(each, most, legend=place == 0) for place, each in enumerate(curves)]
    return picture(charts, "svg", _COLUMNS).decode()


def _chart(each: Prediction, most: float, legend: bool) -> Chart:
    parts = len(each.curve)
    edges = [(each.point.drive_writes or parts) * part / parts for part in range(parts + 1)]
    rows: list[Row] = [
        {"x": edge, "y": value, "series": series}
        for series, values in (("drive", each.point.curve), ("twin", each.curve))
        for edge, value in zip(edges, [*values, values[-1]], strict=True)
    ]
    return Chart(
        f"{each.point.name or each.point.workload}: off by {each.absolute_error:.2f}", "",
        [Layer("line", rows, {"interpolate": "step-after"})],
        Axis("drive writes"), Axis(least=0.8, most=most),
        _COLOURS, legend, _HEIGHT,
    )  # fmt: skip
