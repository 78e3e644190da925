"""`rewear twin`: models fitted to what real drives write."""

import shlex
import sys
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from rewear.cli import options as opt
from rewear.cli.output import answer
from rewear.cli.progress import progress_bars
from rewear.core.drive import Drive
from rewear.core.files import write_text
from rewear.figures.units import format_bytes, format_number, format_share, parse_bytes
from rewear.page.blocks import Part, Table
from rewear.shown.twin import check_curves, curves_svg
from rewear.twin.fit import Fit, Parameter, fit
from rewear.twin.points import Point, read_points
from rewear.twin.predict import Prediction, predict, twin_of
from rewear.twin.preset import described, preset

app = typer.Typer(help="Fit models to the write amplification of real drives.", no_args_is_help=True)

_Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="CSV files of points: write_amplification, fill, ...",
        show_default=False,
    ),
]
_Only = Annotated[str | None, typer.Option("--only", metavar="NAME", help="Take the points of this drive.")]
_Capacity = Annotated[
    str | None,
    typer.Option("--capacity", metavar="SIZE", help="Exported capacity, e.g. 745GiB, where no column has it."),
]


@app.command("fit")
def fit_command(
    files: _Files,
    only: _Only = None,
    capacity: _Capacity = None,
    policy: Annotated[
        str | None, typer.Option(metavar="NAME", help="Victim policy, greedy or cyclic; default: the better.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the twin.")] = "twin",
    out: Annotated[Path | None, opt.output("--out", "-o", metavar="FILE", help="Write the twin's TOML file.")] = None,
    json: opt.JsonOutput = False,
) -> None:
    """Fit flash size, metadata, policy and erase unit to measured points; predict the others.

    Candidates are replayed, which takes minutes.

    rewear twin fit points.csv --out twin.toml
    """
    points = _points(files, only, capacity)
    with progress_bars() as progress:
        fitted = fit(points, policy, progress)
        twin = Drive.from_toml(preset(name, fitted), name)
        predictions = predict(twin, points, progress)
    if out is not None:
        others = [each for each in predictions if not each.point.fits]
        write_text(out, preset(name, fitted, others, shlex.join(["rewear", *sys.argv[1:]])))
    spare = f"{format_share(fitted.over_provisioning)} over {format_bytes(fitted.capacity_bytes)}"
    unit = _gib(fitted.unit_bytes) if fitted.tells_units else "no point tells"
    told: list[Part] = [
        f"flash that holds data   {_interval(fitted.flash_bytes, _gib)}: {spare}",
        f"metadata for data       {_interval(fitted.metadata_share, format_share)}",
        f"cleaning                {fitted.candidate.victim}, moved pages {fitted.candidate.moved}",
        f"erase unit              {unit}",
        f"error of the fit        {fitted.error:.4f} in write amplification, mean of {len(fitted.points)} points; "
        f"{fitted.numbers} numbers fitted, degrees of freedom: {fitted.degrees_of_freedom}",
        *(["explained equally by"] if fitted.equals else []),
        *(f"  {described(rival)}" for rival in fitted.equals),
        "",
        _table(predictions),
        *_below(predictions),
        *([] if out is None else [f"\n{out}: replay on it with --drive {out}"]),
    ]
    answer(
        json, lambda: {"schema": 1, **_as_dict(fitted), "points": [_point(each) for each in predictions]}, lambda: told
    )


@app.command("predict")
def predict_command(
    drive: Annotated[str, typer.Argument(metavar="DRIVE", help="A twin: preset or TOML file.", show_default=False)],
    files: _Files,
    only: _Only = None,
    capacity: _Capacity = None,
    same_flash: Annotated[
        bool,
        typer.Option("--same-flash", help="Accept points of a drive with the same flash and another capacity."),
    ] = False,
    plot: Annotated[
        Path | None, opt.output(metavar="FILE", help="Draw the curves beside the measured ones, as SVG.")
    ] = None,
    seed: opt.Seed = None,
    json: opt.JsonOutput = False,
) -> None:
    """Replay each point's workload on a twin, beside the measured write amplification.

    rewear twin predict twin.toml points.csv
    rewear twin predict micron-7450-max pro.csv --same-flash
    """
    points = _points(files, only, capacity)
    if plot is not None:
        check_curves(points)
    twin = twin_of(Drive(drive), points, same_flash)
    with progress_bars() as progress:
        predictions = predict(twin, points, progress, seed)
    if plot is not None:
        write_text(plot, curves_svg(predictions))
    answer(
        json,
        lambda: {"schema": 1, "drive": twin.name, "points": [_point(each) for each in predictions]},
        lambda: [_table(predictions), *_below(predictions)],
    )


def _points(files: list[str], only: str | None, capacity: str | None) -> list[Point]:
    size = None if capacity is None else parse_bytes("--capacity", capacity)
    return [point for name in files for point in read_points(name, only=only, capacity_bytes=size)]


def _gib(value: float) -> str:
    """Bytes with the digits that the interval is about."""
    return f"{format_number(value / 2**30, 4)} GiB"


def _interval(parameter: Parameter, words: Any) -> str:
    if parameter.low is None or parameter.high is None:
        return f"{words(parameter.value)} (too few points for an interval)"
    return f"{words(parameter.value)} ({words(parameter.low)} to {words(parameter.high)})"


def _table(predictions: list[Prediction]) -> Table:
    throughput = any(each.mib_per_s is not None for each in predictions)
    rows = [
        (
            each.point.name or each.point.workload,
            format_bytes(each.point.fill_bytes),
            f"{each.point.write_amplification:.3f}",
            f"{each.expected:.3f}",
            _off(each),
            "fit" if each.point.fits else "predict",
            *(_rates(each) if throughput else ()),
        )
        for each in predictions
    ]
    more = ("MiB/s", "expected MiB/s") if throughput else ()
    return Table(("workload", "over", "measured", "expected", "off", "used to", *more), rows)


def _off(each: Prediction) -> str:
    return f"{each.absolute_error:.3f} a part" if each.curve else f"{each.error:+.3f}".replace("-", "−")


def _rates(each: Prediction) -> tuple[str, str]:
    if each.mib_per_s is None or each.point.mib_per_s is None:
        return "", ""
    return f"{each.point.mib_per_s:,.0f}", f"{each.mib_per_s:,.0f}"


def _below(predictions: list[Prediction]) -> list[str]:
    """Lines below the table: runs part by part, and the mean error of points not fitted, or of all."""
    lines = []
    for each in predictions:
        if each.curve:
            lines.append(each.point.name or each.point.workload)
            for word, parts in (("measured", each.point.curve), ("expected", each.curve)):
                lines.append(f"  {word}  {' '.join(f'{part:.2f}' for part in parts)}")
    others = [each for each in predictions if not each.point.fits]
    off = fmean(each.absolute_error for each in others or predictions)
    which = f"what was not fitted: {off:.3f} at {len(others)}" if others else f"all: {off:.3f} at {len(predictions)}"
    return [*lines, "", f"mean error of {which} points"]


def _as_dict(fitted: Fit) -> dict[str, Any]:
    parameters = {"flash_bytes": fitted.flash_bytes, "metadata_share": fitted.metadata_share}
    return {
        "capacity_bytes": fitted.capacity_bytes,
        "policy": fitted.candidate.victim,
        "moved_pages": fitted.candidate.moved,
        "unit_bytes": fitted.unit_bytes if fitted.tells_units else None,
        **{key: {"value": each.value, "low": each.low, "high": each.high} for key, each in parameters.items()},
        "over_provisioning": fitted.over_provisioning,
        "fit_error": fitted.error,
        "fitted_numbers": fitted.numbers,
        "degrees_of_freedom": fitted.degrees_of_freedom,
        "candidates": [
            {
                "policy": rival.candidate.victim,
                "moved_pages": rival.candidate.moved,
                "units": rival.candidate.units,
                **{key: getattr(rival, key) for key in ("flash_bytes", "metadata_share", "squares", "equal")},
            }
            for rival in fitted.rivals
        ],
    }


def _point(each: Prediction) -> dict[str, Any]:
    point = each.point
    return {
        **{key: getattr(point, key) for key in ("drive", "workload", "fill_bytes", "capacity_bytes")},
        "use": "fit" if point.fits else "predict",
        "measured": point.write_amplification,
        "expected": each.expected,
        "off": each.absolute_error,
        **({"measured_parts": point.curve, "expected_parts": each.curve} if point.curve else {}),
        **({"measured_mib_per_s": point.mib_per_s, "expected_mib_per_s": each.mib_per_s} if each.mib_per_s else {}),
        "source": point.source,
    }
